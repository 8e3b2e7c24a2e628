/*
 * FlashAttention-2 in bf16 on a matrix unit.
 *
 * Changed since flash2_simd: a matrix unit computes both products
 * (matrix_unit.h), in blocks of 32 queries and 64 keys. Q, K, V and P are
 * rounded to bf16; S and O stay in fp32. 2^x is rough_exp2. The recurrence is
 * that of flash2, in base 2 (Algorithm 1, lines 8 to 10):
 *
 *     m' = max(m, max_j c S_ij)     alpha = 2^{m - m'}     c = scale / ln 2
 *     P_ij = 2^{c S_ij - m'}        l' = alpha l + sum_j P_ij
 *     O <- alpha O + P V
 *
 * docs/cpu_speed.md
 */
#include "06_flash2/fast/amx_block.h"

/* ANCHOR: kernel */
INLINE void attend_keys(amx_block *b, const tile *keys, size_t first,
                        size_t end, const size_t d, const size_t dv)
{
    for (size_t j = first; j < end; j++) {
        tile(*s)[2][2] = b->S[0];

        /* scores: line 8 */
        for (size_t t = 0; t < score_slots(d); t++)
            score_slot(b, s, keys_of(keys, d, dv, j), d, t, false);
        /* update: line 9, row by row */
        for (size_t r = 0; r < BR; r++) {
            vh P[GROUPS];

            if (is_edge(b, j))
                mask_row(b, s, r, j);
            raise_row(b, r, row_max(b, s, r));
            b->sum[r] += exponentiate_row(s, r, P, b->c, b->m[r]);
            store_weights(s, r, P);
        }
        rescale_rows(b, dv);
        /* line 10 */
        for (size_t t = 0; t < output_slots(dv); t++)
            output_slot(b, s, values_of(keys, d, dv, j), dv, t, false);
    }
}
/* ANCHOR_END: kernel */

const bf16_kernel FOR_TARGET(flash2_amx_plain) = AMX_KERNEL;
