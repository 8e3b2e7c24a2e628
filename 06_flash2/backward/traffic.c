/*
 * The HBM traffic of FlashAttention-2's backward steps by formula, in elements.
 * For Nq = Nk = N, dv = d, no causal limit and no shared K and V, with Tr query
 * tiles in backward_dq and Tc key tiles in the other kernels:
 *
 *     flash2_backward   6Nd + N + Tc (4Nd + 2N)        and init Nd
 *     two kernels       8Nd + 2N + Tc (2Nd + 2N) + 2 Tr Nd
 *
 * docs/backward.md
 */
#include "06_flash2/backward/steps.h"
#include "common/traffic.h"

static tile_sizes by_rule(const head *h, size_t M, size_t a_row)
{
    size_t Bc = max_size(1, M / a_row);

    return tile_or(h, min_size(Bc, h->d), Bc);
}

/* Q, dQ, dO of a query tile and K, V, dK, dV of a key tile are on chip. */
tile_sizes flash2_backward_tiles(const head *h, size_t M)
{
    return by_rule(h, M, 4 * h->d + 3 * h->dv);
}

/* In backward_dkv, Q and dO of a query tile and K, V, dK and dV of a key tile
 * are on chip. In backward_dq, Q, O, dQ and dO of a query tile and K and V of a
 * key tile are on chip. */
tile_sizes two_kernel_tiles(const head *h, size_t M)
{
    return by_rule(h, M, 3 * (h->d + h->dv));
}

tile_sizes dq_tiles(const head *h, size_t M)
{
    tile_sizes t = two_kernel_tiles(h, M);

    return (tile_sizes){t.Bc, t.Br};
}

counts flash2_backward_traffic(const gradients *g, tile_sizes t)
{
    const head *h = &g->h;
    size_t keys = seen(h, all(h->Nq)), columns = h->d + h->dv;
    size_t dots = keys ? h->Nq : 0;
    tile_sums visited = tiles_visited(h, t, KEYS_OUTSIDE);

    return (counts){
        .read[ALGORITHM] = 2 * dots * h->dv +
                           keys * columns * (g->add ? 2 : 1) +
                           visited.queries * (2 * h->d + h->dv + 2),
        .written[ALGORITHM] = dots + keys * columns + visited.queries * h->d,
        .written[INIT] = h->Nq * h->d + (g->add ? 0 : (h->Nk - keys) * columns),
        .read[MASK] = visited.masked,
    };
}

counts two_kernel_traffic(const gradients *g, tile_sizes t)
{
    const head *h = &g->h;
    size_t keys = seen(h, all(h->Nq)), columns = h->d + h->dv;
    tile_sizes swapped = {t.Bc, t.Br}; /* for backward_dq */
    tile_sums dkv = tiles_visited(h, t, KEYS_OUTSIDE);
    tile_sums dq = tiles_visited(h, swapped, QUERIES_OUTSIDE);

    return (counts){
        .read[ALGORITHM] = keys * columns * (g->add ? 2 : 1) +
                           dkv.queries * (columns + 2) +
                           h->Nq * (columns + h->dv + 1) + dq.keys * columns,
        .written[ALGORITHM] = keys * columns + h->Nq * (h->d + 1),
        .written[INIT] = g->add ? 0 : (h->Nk - keys) * columns,
        .read[MASK] = dkv.masked + dq.masked,
    };
}
