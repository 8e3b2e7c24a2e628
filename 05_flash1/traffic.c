/*
 * What FlashAttention must move through HBM, by formula, in elements. For Nq =
 * Nk = N, dv = d and no causal limit, with Tc = ceil(N / Bc):
 *
 *     2Nd + Tc (3Nd + 4N)          and init Nd + 2N, L 3N
 *
 * K and V once; and for every tile of keys Q is read, O, m and l are read and
 * written. With a causal limit only the query tiles that see the key tile
 * count. FlashAttention, arXiv 2205.14135, Theorem 2, with its constants.
 *
 * docs/05_flash1.md
 */
#include "05_flash1/steps.h"

tile_sizes flash1_tiles(const head *h, size_t M)
{
    size_t rows = M / (2 * (h->d + h->dv)), Bc = rows ? rows : 1;
    tile_sizes rule = {min_size(Bc, h->d), Bc};

    return h->Br && h->Bc ? (tile_sizes){h->Br, h->Bc} : rule;
}

/* ANCHOR: traffic */
counts flash1_traffic(const head *h, tile_sizes t)
{
    size_t seen = keys_seen_by(h, 0, h->Nq);
    size_t visits = 0, pairs = 0; /* query rows, scores: over all (i, j) */

    for (size_t j0 = 0; j0 < seen; j0 += t.Bc)
        for (size_t i0 = 0; i0 < h->Nq; i0 += t.Br) {
            size_t br = min_size(t.Br, h->Nq - i0);
            size_t bc = min_size(t.Bc, seen - j0);

            if (is_unseen(h, i0, br, j0, bc))
                continue;
            visits += br;
            pairs += br * bc;
        }
    return (counts){
        .read[ALGORITHM] = seen * (h->d + h->dv) + visits * (h->d + h->dv + 2),
        .written[ALGORITHM] = visits * (h->dv + 2),
        .written[INIT] = h->Nq * (h->dv + 2),
        .read[LSE] = 2 * h->Nq,
        .written[LSE] = h->Nq,
        .read[MASK] = h->mask.hbm.data ? pairs : 0,
    };
}
/* ANCHOR_END: traffic */
