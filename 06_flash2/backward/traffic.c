/*
 * What FlashAttention-2's backward steps must move through HBM, by formula, in
 * elements. For Nq = Nk = N, dv = d, no causal limit and no shared K and V,
 * with Tr and Tc the tiles of queries (of dQ's kernel) and of keys:
 *
 *     flash2_backward   6Nd + N + Tc (4Nd + 2N)        and init Nd
 *     two kernels       8Nd + 2N + Tc (2Nd + 2N) + 2 Tr Nd
 *
 * docs/backward.md
 */
#include "06_flash2/backward/steps.h"

static tile_sizes by_rule(const head *h, size_t M, size_t a_row)
{
    size_t rows = M / a_row, Bc = rows ? rows : 1;
    tile_sizes rule = {min_size(Bc, h->d), Bc};

    return h->Br && h->Bc ? (tile_sizes){h->Br, h->Bc} : rule;
}

/* Q, dQ, dO for a query, K, V, dK, dV for a key. */
tile_sizes flash2_backward_tiles(const head *h, size_t M)
{
    return by_rule(h, M, 4 * h->d + 3 * h->dv);
}

/* Q, dO for a query, K, V, dK, dV for a key; for dQ it is the other way round:
 * Q, O, dQ, dO for a query, K, V for a key. */
tile_sizes two_kernel_tiles(const head *h, size_t M)
{
    return by_rule(h, M, 3 * (h->d + h->dv));
}

tile_sizes dq_tiles(const head *h, size_t M)
{
    tile_sizes t = two_kernel_tiles(h, M);

    return (tile_sizes){t.Bc, t.Br};
}

/* Query rows and scores over all (i, j) with the keys outside. */
static void count_visits(const head *h, tile_sizes t, size_t *visits,
                         size_t *pairs)
{
    size_t seen = keys_seen_by(h, 0, h->Nq);

    *visits = *pairs = 0;
    for (size_t j0 = 0; j0 < seen; j0 += t.Bc)
        for (size_t i0 = 0; i0 < h->Nq; i0 += t.Br) {
            size_t br = min_size(t.Br, h->Nq - i0);
            size_t bc = min_size(t.Bc, seen - j0);

            if (is_unseen(h, i0, br, j0, bc))
                continue;
            *visits += br;
            *pairs += br * bc;
        }
}

/* ANCHOR: flash2 */
counts flash2_backward_traffic(const gradients *g, tile_sizes t)
{
    const head *h = &g->h;
    size_t seen = keys_seen_by(h, 0, h->Nq), columns = h->d + h->dv;
    size_t dots = seen ? h->Nq : 0, visits, pairs;

    count_visits(h, t, &visits, &pairs);
    return (counts){
        .read[ALGORITHM] = 2 * dots * h->dv +
                           seen * columns * (g->add ? 2 : 1) +
                           visits * (2 * h->d + h->dv + 2),
        .written[ALGORITHM] = dots + seen * columns + visits * h->d,
        .written[INIT] = h->Nq * h->d + (g->add ? 0 : (h->Nk - seen) * columns),
        .read[MASK] = h->mask.hbm.data ? pairs : 0,
    };
}
/* ANCHOR_END: flash2 */

/* ANCHOR: two_kernels */
counts two_kernel_traffic(const gradients *g, tile_sizes t)
{
    const head *h = &g->h;
    size_t seen = keys_seen_by(h, 0, h->Nq), columns = h->d + h->dv;
    size_t visits, pairs, keys = 0;

    count_visits(h, t, &visits, &pairs);
    for (size_t i0 = 0; i0 < h->Nq; i0 += t.Bc) { /* dQ: turned over */
        size_t br = min_size(t.Bc, h->Nq - i0);
        size_t end = keys_seen_by(h, i0, br);

        for (size_t j0 = 0; j0 < end; j0 += t.Br) {
            size_t bc = min_size(t.Br, end - j0);

            if (is_unseen(h, i0, br, j0, bc))
                continue;
            keys += bc;
            pairs += br * bc;
        }
    }
    return (counts){
        .read[ALGORITHM] = seen * columns * (g->add ? 2 : 1) +
                           visits * (columns + 2) +
                           h->Nq * (columns + h->dv + 1) + keys * columns,
        .written[ALGORITHM] = seen * columns + h->Nq * (h->d + 1),
        .written[INIT] = g->add ? 0 : (h->Nk - seen) * columns,
        .read[MASK] = h->mask.hbm.data ? pairs : 0,
    };
}
/* ANCHOR_END: two_kernels */
