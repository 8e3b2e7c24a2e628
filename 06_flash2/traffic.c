/*
 * Tile sizes of chapter 06, and the HBM traffic of its steps in elements. For
 * Nq = Nk = N, dv = d and no causal limit, with Tr = ceil(N/Br), Tc =
 * ceil(N/Bc), and Tp parts in split_kv:
 *
 *     flash2_deferred   2Nd + Tc (3Nd + 4N), as flash1; final loop 2Nd
 *     flash2            2Nd + N + 2 Tr Nd
 *     split_kv          Tp (Nd + 2Nd + 4N) + Nd + N + 2 Tr Nd
 *
 * docs/06_flash2.md
 */
#include "06_flash2/steps.h"

#include "05_flash1/steps.h"
#include "common/traffic.h"

tile_sizes flash2_deferred_tiles(const head *h, size_t M)
{
    return flash1_tiles(h, M);
}

tile_sizes flash2_tiles(const head *h, size_t M)
{
    size_t Br = max_size(1, M / (2 * (h->d + h->dv)));

    return tile_or(h, Br, min_size(Br, h->d));
}

size_t split_kv_keys(const head *h, tile_sizes t)
{
    size_t tiles_of_a_part = tiles(tiles(h->Nk, t.Bc), 8);

    return t.Bc * (tiles_of_a_part ? tiles_of_a_part : 1);
}

counts flash2_deferred_traffic(const head *h, tile_sizes t)
{
    counts sum = flash1_traffic(h, t);

    sum.read[ALGORITHM] += h->Nq * h->dv;
    sum.written[ALGORITHM] += h->Nq * h->dv;
    return sum;
}

counts flash2_traffic(const head *h, tile_sizes t)
{
    tile_sums visited = tiles_visited(h, t, QUERIES_OUTSIDE);

    return (counts){
        .read[ALGORITHM] = h->Nq * h->d + visited.keys * (h->d + h->dv),
        .written[ALGORITHM] = h->Nq * h->dv + h->Nq,
        .read[MASK] = visited.masked,
    };
}

counts split_kv_traffic(const head *h, tile_sizes t)
{
    counts sum = flash2_traffic(h, t);
    size_t keys = split_kv_keys(h, t);
    size_t visits = 0; /* rows of results that the parts store */

    for (span i = first(h->Nq, t.Br); i.n; i = next(i))
        visits += i.n * tiles(seen(h, i), keys);
    /* each part loads Q, which flash2 loads once */
    sum.read[ALGORITHM] += visits * (h->d + h->dv + 2) - h->Nq * h->d;
    sum.written[ALGORITHM] += visits * (h->dv + 2);
    return sum;
}
