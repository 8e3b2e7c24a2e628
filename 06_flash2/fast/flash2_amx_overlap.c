/*
 * flash2_amx_plain that computes products and exponentials at the same time.
 *
 * Changed since flash2_amx_plain: after each row of exponentials of block j
 * come some slots of products. The first rows have slots of O += P V of block
 * j - 1, the last rows have slots of S = Q K^T of block j + 1. Loads of K and V
 * leave L1 to the other data (tile_stream). docs/cpu_speed.md
 */
#include "06_flash2/fast/amx_block.h"

/* ANCHOR: kernel */
INLINE void attend_keys(amx_block *b, const tile *keys, size_t first,
                        size_t end, const size_t d, const size_t dv)
{
    const size_t output = output_slots(dv), slots = output + score_slots(d);

    /* scores of the first block: line 8 of FlashAttention-2's Algorithm 1 */
    for (size_t t = 0; t < score_slots(d); t++)
        score_slot(b, b->S[first % 2], keys_of(keys, d, dv, first), d, t, true);
    for (size_t j = first; j <= end; j++) {
        tile(*s)[2][2] = b->S[j % 2], (*other)[2][2] = b->S[(j + 1) % 2];

        UNROLLED_ROWS
        for (size_t r = 0, t = 0; r < BR; r++) {
            /* update: line 9 of block j */
            if (j < end) {
                vh P[GROUPS];

                if (is_edge(b, j))
                    mask_row(b, s, r, j);
                raise_row(b, r, row_max(b, s, r));
                b->sum[r] += exponentiate_row(s, r, P, b->c, b->m[r]);
                store_weights(s, r, P);
            }
            /* line 10 of block j - 1, then line 8 of block j + 1 */
            for (; t < (r + 1) * slots / BR; t++)
                if (t < output && j > first)
                    output_slot(b, other, values_of(keys, d, dv, j - 1), dv, t,
                                true);
                else if (t >= output && j + 1 < end)
                    score_slot(b, other, keys_of(keys, d, dv, j + 1), d,
                               t - output, true);
        }
        if (j < end)
            rescale_rows(b, dv);
    }
}
/* ANCHOR_END: kernel */

const bf16_kernel FOR_TARGET(flash2_amx_overlap) = AMX_KERNEL;
