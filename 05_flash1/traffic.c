/*
 * Computes the HBM traffic of FlashAttention by formula, in elements. For
 * Nq = Nk = N, dv = d and no causal limit, with Tc = ceil(N / Bc):
 *
 *     2Nd + Tc (3Nd + 4N)          and init Nd + 2N, L 3N
 *
 * With a causal limit, each tile of keys counts only the query tiles that see
 * it. The sum is Theorem 2 of FlashAttention, arXiv 2205.14135, with constants.
 *
 * docs/05_flash1.md
 */
#include "05_flash1/steps.h"
#include "common/traffic.h"

tile_sizes flash1_tiles(const head *h, size_t M)
{
    size_t Bc = max_size(1, M / (2 * (h->d + h->dv)));

    return tile_or(h, min_size(Bc, h->d), Bc);
}

counts flash1_traffic(const head *h, tile_sizes t)
{
    size_t keys = seen(h, all(h->Nq));
    tile_sums visited = tiles_visited(h, t, KEYS_OUTSIDE);

    return (counts){
        .read[ALGORITHM] =
            keys * (h->d + h->dv) + visited.queries * (h->d + h->dv + 2),
        .written[ALGORITHM] = visited.queries * (h->dv + 2),
        .written[INIT] = h->Nq * (h->dv + 2),
        .read[LSE] = 2 * h->Nq,
        .written[LSE] = h->Nq,
        .read[MASK] = visited.masked,
    };
}
