/*
 * The HBM traffic of the backward rungs by closed forms, in elements, with d
 * and dv padded to D columns. For N queries, N keys and no causal limit, with
 * tiles of Bc keys, and of Br queries in the kernel for dQ:
 *
 *     all rungs       2ND + N to compute D_i; 4ND for K, V, dK and dV
 *     dK and dV       N / Bc (2ND + 2N): each block loads Q, dO, L and D_i
 *     dQ by additions N / Bc (2ND) to read and write; in bf16 2ND to round dQ
 *     dQ by a kernel  3ND for Q, dO and dQ; N / Br (2ND) for K and V; 2N for L
 *                     and D_i, times the number of threads per row
 *
 * docs/07_cuda.md
 */
#include "07_cuda/backward/steps.h"
#include "common/traffic.h"

/* Returns the number of query rows loaded for all tiles of Bc keys. */
static size_t visits(const head *h, size_t Br, size_t Bc)
{
    return tiles_visited(h, (tile_sizes){Br, Bc}, KEYS_OUTSIDE).queries;
}

static counts of_all(const gradients *g, size_t columns)
{
    const head *h = &g->h;
    size_t keys = g->add ? 0 : 2 * h->Nk * columns;

    return (counts){
        .read[ALGORITHM] = 2 * h->Nq * columns + keys,
        .written[ALGORITHM] = h->Nq + keys,
    };
}

/* In the fp32 rungs a block owns own_rows and loads tiles of passing_rows. */
static size_t own_rows(size_t columns)
{
    return 128 * 32 / columns;
}

static size_t passing_rows(size_t columns)
{
    return columns < 128 ? 32 : 16;
}

/* The rung sums dQ in HBM. If rounded, a kernel then rounds dQ. */
static counts with_sum(const gradients *g, size_t D, size_t Br, size_t Bc,
                       bool rounded)
{
    size_t rows = visits(&g->h, Br, Bc), last = rounded ? g->h.Nq * D : 0;
    counts c = of_all(g, D);

    c.read[ALGORITHM] += rows * (2 * D + 2) + rows * D + last;
    c.written[ALGORITHM] += rows * D + last;
    return c;
}

counts backward_atomics_traffic(const gradients *g, tile_sizes t)
{
    size_t D = backward_columns(&backward_ladder[BACKWARD_atomics], &g->h);

    (void)t;
    return with_sum(g, D, passing_rows(D), own_rows(D), false);
}

counts backward_two_kernels_traffic(const gradients *g, tile_sizes t)
{
    const head *h = &g->h;
    size_t D = backward_columns(&backward_ladder[BACKWARD_two_kernels], h);
    size_t Br = own_rows(D), threads_a_row = 128 / Br, keys = 0;
    counts c = of_all(g, D);

    (void)t;
    for (span i = first(h->Nq, Br); i.n; i = next(i))
        keys += seen(h, i);
    c.read[ALGORITHM] += visits(h, passing_rows(D), Br) * (2 * D + 2) +
                         h->Nq * (2 * D + 2 * threads_a_row) + keys * 2 * D;
    c.written[ALGORITHM] += h->Nq * D;
    return c;
}

counts backward_tensor_cores_traffic(const gradients *g, tile_sizes t)
{
    size_t D = backward_columns(&backward_ladder[BACKWARD_tensor_cores], &g->h);

    (void)t;
    return with_sum(g, D, D < 128 ? 128 : 32, 128, true);
}

/* TMA loads whole tiles, but no key after the last key that any query sees. */
counts backward_wgmma_traffic(const gradients *g, tile_sizes t)
{
    const size_t Own = 128, Bc = 128, threads_a_row = 4;
    const head *h = &g->h;
    size_t D = backward_columns(&backward_ladder[BACKWARD_wgmma], h);
    size_t most = seen(h, all(h->Nq)), keys = 0, queries = 0;
    counts c = of_all(g, D);

    (void)t;
    for (span i = first(h->Nq, Own); i.n; i = next(i)) {
        size_t end = seen(h, i);

        keys += min_size(tiles(end, Bc) * Bc, most);
        queries += end > 0 ? i.n : 0;
    }
    if (!g->add)
        c.read[ALGORITHM] -= 2 * (h->Nk - most) * D;
    c.read[ALGORITHM] += visits(h, D < 128 ? 128 : 64, Own) * (2 * D + 2) +
                         queries * 2 * D + h->Nq * 2 * threads_a_row +
                         keys * 2 * D;
    c.written[ALGORITHM] += h->Nq * D;
    return c;
}

counts backward_reduce_traffic(const gradients *g, tile_sizes t)
{
    const head *h = &g->h;
    size_t D = backward_columns(&backward_ladder[BACKWARD_reduce], h);
    counts c = with_sum(g, D, D < 128 ? 128 : 64, 128, true);

    (void)t;
    if (!g->add)
        c.read[ALGORITHM] -= 2 * (h->Nk - seen(h, all(h->Nq))) * D;
    return c;
}
