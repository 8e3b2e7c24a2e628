/* 8_numbers.cu: mistakes that break no rule of the machine: with e4m3, in the
 * merge of parts, in the backward pass. Each is reduced to a toy of one thread.
 * The emulator reports nothing; only a comparison of the numbers finds them.
 * Pages: docs/hopper.md, docs/07_backward.md. */
#include "07_cuda/ptx/ptx_hopper.h"
#include "07_cuda/emulator/cuda_on_cpu/bugs/gallery.h"

/* GIVES(value of b[0]) */
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
 * The first product stores the weights of keys 0, 1, 8, 9 in one register. In
 * the second product this register has places 0 to 3. So V's keys must be in
 * that order. Here the weight of key 8, which is 1, is multiplied by key 2. */
GIVES(sum_of(4,
             [](int place) { return (place == 2) * (float)place; })) // <- here

/* [sums_in_units_of_the_block_before] wrong numbers: b[0] should be 5
 * O is summed in units of the scale of V's block, first 4, then 1. The first
 * sum must be multiplied by 4 / 1 before the second block is added. */
GIVES((1.0f + 1) * 1) // <- here

/* [scale_of_another_block] wrong numbers: b[0] should be 64
 * Each block of K has its own scale, 8 and 2. The second tile's scores, 32
 * products of ones, use the first scale. */
GIVES(32.0f * 8) // <- here

/* [weights_below_the_smallest_code] wrong numbers: b[0] should be 0.015625
 * A weight is at most 1, and the smallest e4m3 is 2^-9. 32 weights of 2^-11 are
 * rounded to 0. If weights and l are multiplied by 2^8, they are not, and the
 * factor cancels. */
GIVES(32 * emu::from_e4m3((uint8_t)pack_e4m3x4(0x1p-11f, 0, 0, 0))) // <- here

/* [tail_not_masked] wrong numbers: b[0] should be 40
 * The tile has 64 keys, and only 40 exist. For the others TMA stores zeros, so
 * their score is 0, not -inf. Each adds 2^0 to l. */
GIVES(sum_of(64, [](int) { return exp2_approx(0); })) // <- here

/* --- Parts: O not divided by l, m in units of log 2, l -------------------- */

/* [parts_added_as_they_are] wrong numbers: b[0] should be 9
 * The parts (1, 0, 1) and (10, 3, 1) are relative to their own maxima. The
 * first must be multiplied by 2^(0 - 3): (1/8 + 10) / (1/8 + 1). */
GIVES((1.0f + 10) / (1 + 1)) // <- here

/* [infinity_minus_infinity] wrong numbers: b[0] should be 10
 * The first part has no visible key. Its m and the row's m are -inf, and -inf -
 * -inf is NaN. */
GIVES(10 + 0 * exp2_approx(-INFINITY - -INFINITY)) // <- here

/* --- The backward pass ---------------------------------------------------- */

/* There are four queries and four keys of one column. Every weight is 1/4, V
 * and K are 0, 1, 2, 3, and dO is 1. Then dP of key j is j, D is 3/2, dS is (j
 * - 3/2) / 4, dQ is 5/4 and dV is 1. */

/* [without_D] wrong numbers: b[0] should be 1.25
 * dS is P dP here, without the difference from the mean, D. */
GIVES(sum_of(4, [](int j) { return j / 4.0f * j; })) // <- here

/* [dQ_twice] wrong numbers: b[0] should be 1.25
 * Two warps share a row's columns, but both add to all columns. */
KERNEL(1, 64)
{
    if (t % 32 == 0)
        for (int j = 0; j < 4; j++)
            atomicAdd(b, (j - 1.5f) / 4 * j); // <- here
}

/* [beyond_the_diagonal] wrong numbers: b[0] should be 1
 * With a causal limit two keys of weight 1/2 are visible to query 1, and L
 * contains only these. For another key e^{s - L} must be set to 0. */
GIVES(sum_of(4, [](int) { return 0.5f; })) // <- here

/* [rows_that_do_not_exist] wrong numbers: b[0] should be 0.5
 * A ragged tile of two queries is padded with zeros, and so is L. Then a query
 * that does not exist has the weight e^{0 - 0} = 1. */
GIVES(sum_of(4, [](int i) { return i < 2 ? 0.25f : 1; })) // <- here

/* [L_of_a_row_that_sees_nothing] wrong numbers: b[0] should be 1
 * Its L is -inf, and 2^{s - L} is infinite. If weights are not masked one by
 * one, such an L must be set to +inf. */
GIVES(exp2f(0 - 0) + exp2f(0 - -INFINITY)) // <- here
