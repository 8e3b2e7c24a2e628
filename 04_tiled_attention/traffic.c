/*
 * Computes the HBM traffic of chapter 04's steps by formula, in elements. For
 * Nq = Nk = N, dv = d, and no causal limit or mask:
 *
 *     standard            4Nd + 4N^2, and N for L
 *     three_pass          2Nd + N + 4N^2 d
 *     two_pass            2Nd + N + 3N^2 d
 *     one_pass, tiled     2Nd + N + 2N^2 d
 *
 * With a causal limit, N^2 becomes the number of pairs of a query and a key
 * that the query sees. The first key of a window matters only to
 * tiled_attention, which skips the tiles before this key.
 *
 * docs/04_tiled_attention.md
 */
#include "04_tiled_attention/steps.h"
#include "common/traffic.h"

#include <string.h>

static size_t masked(const head *h, size_t elements)
{
    return h->rule.mask.hbm.data ? elements : 0;
}

double standard_bytes(const head *h, const char *only)
{
    if (only && strcmp(only, standard_step.name) != 0)
        return 0;
    return sizeof(float) * (double)h->Nq * (double)h->Nk;
}

tile_sizes tiled_tiles(const head *h, size_t M)
{
    size_t rows = M / (h->d + h->dv), Bc = rows > 1 ? rows - 1 : 1;

    return (tile_sizes){1, h->tile.Bc ? h->tile.Bc : Bc};
}

counts standard_traffic(const head *h, tile_sizes t)
{
    size_t keys = seen(h, all(h->Nq)), S = pairs_seen(h);

    (void)t;
    return (counts){
        .read[ALGORITHM] = h->Nq * h->d + keys * (h->d + h->dv) + 2 * S,
        .written[ALGORITHM] = 2 * S + h->Nq * h->dv,
        .written[LSE] = h->Nq,
        .read[MASK] = masked(h, S),
    };
}

static counts passes_traffic(const head *h, size_t passes)
{
    size_t S = pairs_seen(h);

    return (counts){
        .read[ALGORITHM] = h->Nq * h->d + passes * S * h->d + S * h->dv,
        .written[ALGORITHM] = h->Nq * h->dv + h->Nq,
        .read[MASK] = masked(h, passes * S),
    };
}

counts three_pass_traffic(const head *h, tile_sizes t)
{
    (void)t;
    return passes_traffic(h, 3);
}

counts two_pass_traffic(const head *h, tile_sizes t)
{
    (void)t;
    return passes_traffic(h, 2);
}

counts one_pass_traffic(const head *h, tile_sizes t)
{
    (void)t;
    return passes_traffic(h, 1);
}

counts tiled_traffic(const head *h, tile_sizes t)
{
    tile_sums sum = tiles_visited(h, t, QUERIES_OUTSIDE);

    return (counts){
        .read[ALGORITHM] = h->Nq * h->d + sum.keys * (h->d + h->dv),
        .written[ALGORITHM] = h->Nq * h->dv + h->Nq,
        .read[MASK] = sum.masked,
    };
}
