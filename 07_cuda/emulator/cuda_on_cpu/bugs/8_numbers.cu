/* 8_numbers.cu: mistakes that break no rule of the machine and are seen in the
 * numbers alone: with e4m3, in the merge of parts, in the backward pass. Each
 * is a toy of one thread, that keeps only what is wrong. The emulator is
 * silent: what finds these is a comparison. Pages: docs/hopper.md,
 * docs/07_backward.md. */
#include "07_cuda/ptx/ptx_hopper.h"
#include "07_cuda/emulator/cuda_on_cpu/bugs/gallery.h"

/* GIVES(what b[0] becomes) */
#define GIVES(...)                                                             \
    KERNEL(1, 1)                                                               \
    {                                                                          \
        b[0] = __VA_ARGS__;                                                    \
    }

template <class Term> static __device__ float sum_of(int n, Term term)
{
    float sum = 0;
    for (int j = 0; j < n; j++)
        sum += term(j);
    return sum;
}

/* --- e4m3 ----------------------------------------------------------------- */

/* [keys_in_their_own_order] wrong numbers: b[0] should be 8
 * The weights of keys 0, 1, 8, 9 come out of the first product in one
 * register, and go into the second as those of places 0 to 3. So V's keys must
 * be in that order: here the weight of key 8, which is 1, meets key 2. */
GIVES(sum_of(4,
             [](int place) { return (place == 2) * (float)place; })) // <- here

/* [sums_in_units_of_the_block_before] wrong numbers: b[0] should be 5
 * O is summed in units of the scale of V's block, 4 and then 1: what is there
 * must be multiplied by 4 / 1 before the second block is added. */
GIVES((1.0f + 1) * 1) // <- here

/* [scale_of_another_block] wrong numbers: b[0] should be 64
 * Each block of K has its own scale, 8 and 2; the second tile's scores, 32
 * products of ones, take the first one's. */
GIVES(32.0f * 8) // <- here

/* [weights_below_the_smallest_code] wrong numbers: b[0] should be 0.015625
 * A weight is at most 1, and e4m3 begins at 2^-9: 32 weights of 2^-11 are
 * rounded to nothing. Times 2^8 they would be there; l is multiplied too, so
 * that it cancels. */
GIVES(32 * emu::from_e4m3((uint8_t)pack_e4m3x4(0x1p-11f, 0, 0, 0))) // <- here

/* [tail_not_masked] wrong numbers: b[0] should be 40
 * The tile has 64 keys, and only 40 are there: TMA brings zeros for the
 * others, whose score is 0, not -inf. Each adds 2^0 to l. */
GIVES(sum_of(64, [](int) { return exp2_approx(0); })) // <- here

/* --- Parts: O not divided by l, m in units of log 2, l -------------------- */

/* [parts_added_as_they_are] wrong numbers: b[0] should be 9
 * The parts (1, 0, 1) and (10, 3, 1) were measured from their own maxima: the
 * first weighs 2^(0 - 3) as much as it says. So (1/8 + 10) / (1/8 + 1). */
GIVES((1.0f + 10) / (1 + 1)) // <- here

/* [nothing_minus_nothing] wrong numbers: b[0] should be 10
 * The first part sees no key: its m is -inf, as that of the row so far, and
 * -inf - -inf is no number. */
GIVES(10 + 0 * exp2_approx(-INFINITY - -INFINITY)) // <- here

/* --- The backward pass ---------------------------------------------------- */

/* Of four queries and four keys of one column: every weight is 1/4, V and K are
 * 0, 1, 2, 3, and dO is 1. Then dP of key j is j, D is 3/2, dS is (j - 3/2) /
 * 4, dQ is 5/4 and dV is 1. */

/* [without_D] wrong numbers: b[0] should be 1.25
 * dS is P dP: how good a key is, and not how much better than the mean. */
GIVES(sum_of(4, [](int j) { return j / 4.0f * j; })) // <- here

/* [dQ_twice] wrong numbers: b[0] should be 1.25
 * Two warps share a row, half of the columns each; both add to all of them. */
KERNEL(1, 64)
{
    if (t % 32 == 0)
        for (int j = 0; j < 4; j++)
            atomicAdd(b, (j - 1.5f) / 4 * j); // <- here
}

/* [beyond_the_diagonal] wrong numbers: b[0] should be 1
 * With a causal limit query 1 sees two keys, of weight 1/2. L is theirs, but
 * e^{s - L} of a key that is not seen is no 0: it must be made one. */
GIVES(sum_of(4, [](int) { return 0.5f; })) // <- here

/* [rows_that_are_not_there] wrong numbers: b[0] should be 0.5
 * A ragged tile of two queries is filled up with zeros, L too: e^{0 - 0} is
 * the weight 1, of a query that does not exist. */
GIVES(sum_of(4, [](int i) { return i < 2 ? 0.25f : 1; })) // <- here

/* [L_of_a_row_that_sees_nothing] wrong numbers: b[0] should be 1
 * Its L is -inf, and 2^{s - L} is infinite. Where weights are not looked at one
 * by one, such an L must become +inf. */
GIVES(exp2f(0 - 0) + exp2f(0 - -INFINITY)) // <- here
