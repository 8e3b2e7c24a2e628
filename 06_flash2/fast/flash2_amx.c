/*
 * flash2_amx_overlap that computes the maximum of a row only when necessary.
 *
 * Changed since flash2_amx_overlap: m changes only if the weights of a row
 * become too large. A weight above 1 is as precise as a weight below 1, because
 * bf16 has the exponent range of fp32. If one of the 16 sums of a row's weights
 * in a block exceeds 256 or is NaN, these weights are computed again with the
 * true maximum. This happens in the first block with keys that the row sees,
 * because m begins as -1e30.
 *
 * FlashAttention-4 computes the maximum of each block, but rescales only if the
 * maximum grew by more than 8 in base 2. docs/cpu_speed.md
 */
#include "06_flash2/fast/amx_block.h"

static const float most_sum = 256;

__attribute__((noinline)) static vf
exponentiate_again(amx_block *b, score_tiles s, size_t r, vh P[GROUPS])
{
    raise_row(b, r, row_max(b, s, r));
    return exponentiate_row(s, r, P, b->c, b->m[r]);
}

/* ANCHOR: kernel */
INLINE void attend_keys(amx_block *b, const tile *keys, size_t first,
                        size_t end, const size_t d, const size_t dv)
{
    const size_t output = output_slots(dv), slots = output + score_slots(d);

    /* scores of the first block: line 8 */
    for (size_t t = 0; t < score_slots(d); t++)
        score_slot(b, b->S[first % 2], keys_of(keys, d, dv, first), d, t, true);
    for (size_t j = first; j <= end; j++) {
        tile(*s)[2][2] = b->S[j % 2], (*other)[2][2] = b->S[(j + 1) % 2];
        bool raised = false;

        UNROLLED_ROWS
        for (size_t r = 0, t = 0; r < BR; r++) {
            /* update: line 9 of block j */
            if (j < end) {
                vh P[GROUPS];
                vf sum;

                if (is_edge(b, j))
                    mask_row(b, s, r, j);
                sum = exponentiate_row(s, r, P, b->c, b->m[r]);
                if (__builtin_expect(!all_at_most(sum, most_sum), 0)) {
                    sum = exponentiate_again(b, s, r, P);
                    raised = true;
                }
                b->sum[r] += sum;
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
        if (raised)
            rescale_rows(b, dv);
    }
}
/* ANCHOR_END: kernel */

const bf16_kernel FOR_TARGET(flash2_amx) = AMX_KERNEL;
