/*
 * Computes the HBM traffic of chapter 05's backward steps by formula, in
 * elements. For Nq = Nk = N, dv = d, no causal limit and no shared K and V,
 * with Tc = ceil(N / Bc):
 *
 *     standard_backward   7N^2 + 8Nd
 *     flash1_backward     4Nd + Tc (5Nd + 2N)          and init Nd
 *
 * If heads share K and V, the later heads also read dK and dV. They do not set
 * dK and dV of the keys after the last seen key to 0. docs/backward.md
 */
#include "05_flash1/backward/steps.h"
#include "common/traffic.h"

#include <string.h>

double backward_bytes(const head *h, const char *only)
{
    double columns = (double)h->d + (double)h->dv;
    double stored = (double)h->Nq * (double)h->Nk; /* P; dS has as many */

    if (only && strcmp(only, chapter_05_backward[0].name) != 0)
        stored = 0;
    return sizeof(float) *
           (((double)h->Nq + (double)h->Nk) * columns + 2 * stored);
}

tile_sizes flash1_backward_tiles(const head *h, size_t M)
{
    size_t Bc = max_size(1, M / (4 * (h->d + h->dv)));

    return tile_or(h, min_size(Bc, h->d), Bc);
}

counts standard_backward_traffic(const gradients *g, tile_sizes t)
{
    const head *h = &g->h;
    size_t keys = seen(h, all(h->Nq)), columns = h->d + h->dv;
    size_t pairs = pairs_seen(h);

    (void)t;
    return (counts){
        .read[ALGORITHM] = 5 * pairs + h->Nq * (h->d + 2 * h->dv) +
                           keys * columns * (g->add ? 2 : 1),
        .written[ALGORITHM] = 2 * pairs + h->Nq * h->d + keys * columns,
        .written[INIT] = g->add ? 0 : (h->Nk - keys) * columns,
        .read[MASK] = h->rule.softcap > 0 ? h->Nq * h->d : 0,
    };
}

counts flash1_backward_traffic(const gradients *g, tile_sizes t)
{
    const head *h = &g->h;
    size_t keys = seen(h, all(h->Nq)), columns = h->d + h->dv;
    tile_sums visited = tiles_visited(h, t, KEYS_OUTSIDE);

    return (counts){
        .read[ALGORITHM] = keys * columns * (g->add ? 2 : 1) +
                           visited.queries * (2 * columns + 2),
        .written[ALGORITHM] = keys * columns + visited.queries * h->d,
        .written[INIT] = h->Nq * h->d + (g->add ? 0 : (h->Nk - keys) * columns),
        .read[MASK] = visited.masked,
    };
}
