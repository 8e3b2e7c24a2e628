/* 8_numbers.cu: mistakes with e4m3, in the merge of partial results, and in the
 * backward pass. They break no rule of CUDA, so the emulator reports nothing.
 * Only a comparison of the numbers finds them. Most are reduced to one
 * expression. Pages: docs/hopper.md, docs/07_backward.md. */
#include "07_cuda/ptx/ptx_hopper.h"
#include "tools/emulator/cuda_on_cpu/bugs/gallery.h"

/* GIVES(x) is a kernel of one thread that stores x in b[0]. */
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
 * The first product stores the weights of keys 0, 1, 8, 9 in one register. The
 * second product multiplies this register by places 0 to 3 of V. So V's keys
 * must be in the order 0, 1, 8, 9. Here the weight of key 8, which is 1, is
 * multiplied by key 2. */
GIVES(sum_of(4,
             [](int place) { return (place == 2) * (float)place; })) // <- here

/* [sums_in_units_of_the_block_before] wrong numbers: b[0] should be 5
 * Each block of V has a scale, here 4 and 1, and O is divided by the current
 * scale. Before the second block is added, the first sum must be multiplied by
 * 4 / 1. */
GIVES((1.0f + 1) * 1) // <- here

/* [scale_of_another_block] wrong numbers: b[0] should be 64
 * Each block of K has its own scale, here 8 and 2. A score of the second block
 * is a sum of 32 products of ones. It is multiplied by 8 instead of 2. */
GIVES(32.0f * 8) // <- here

/* [weights_below_the_smallest_code] wrong numbers: b[0] should be 0.015625
 * A weight is at most 1, and the smallest positive e4m3 number is 2^-9. So 32
 * weights of 2^-11 are rounded to 0. The kernel must multiply the weights and l
 * by 2^8. Then they are not rounded to 0, and the factor cancels. */
GIVES(32 * emu::from_e4m3((uint8_t)pack_e4m3x4(0x1p-11f, 0, 0, 0))) // <- here

/* [tail_not_masked] wrong numbers: b[0] should be 40
 * The tile has 64 rows, and only 40 keys exist. TMA stores zeros in the other
 * rows, so their scores are 0. They must be -inf, since each score of 0 adds
 * 2^0 to l. */
GIVES(sum_of(64, [](int) { return exp2_approx(0); })) // <- here

/* --- Parts ---------------------------------------------------------------- */

/* A part is a partial result (O, m, l) of a row. O is not divided by l, and a
 * score s has the weight 2^(s - m). */

/* [parts_added_as_they_are] wrong numbers: b[0] should be 9
 * The parts are (1, 0, 1) and (10, 3, 1), and each is relative to its own m.
 * The first must be multiplied by 2^(0 - 3): (1/8 + 10) / (1/8 + 1). */
GIVES((1.0f + 10) / (1 + 1)) // <- here

/* [infinity_minus_infinity] wrong numbers: b[0] should be 10
 * The first part has no visible key, so its m is -inf. The row's m is also -inf
 * at that point, and -inf - -inf is NaN. */
GIVES(10 + 0 * exp2_approx(-INFINITY - -INFINITY)) // <- here

/* --- The backward pass ---------------------------------------------------- */

/* If not stated otherwise, four queries and four keys have one column, and all
 * weights are 1/4. V and K are 0, 1, 2, 3, and dO is 1. Then dP of key j is j,
 * D is 3/2, and dS is (j - 3/2) / 4. dQ is 5/4 and dV is 1. */

/* [without_D] wrong numbers: b[0] should be 1.25
 * dS must be P (dP - D), but here it is P dP. */
GIVES(sum_of(4, [](int j) { return j / 4.0f * j; })) // <- here

/* [dQ_twice] wrong numbers: b[0] should be 1.25
 * Each of two warps must add half of the columns of a row, but both add all
 * columns. */
KERNEL(1, 64)
{
    if (t % 32 == 0)
        for (int j = 0; j < 4; j++)
            atomicAdd(b, (j - 1.5f) / 4 * j); // <- here
}

/* [beyond_the_diagonal] wrong numbers: b[0] should be 1
 * With a causal limit two keys of weight 1/2 are visible to query 1, and its L
 * contains only these two. For the other keys e^{s - L} must be set to 0. */
GIVES(sum_of(4, [](int) { return 0.5f; })) // <- here

/* [rows_that_do_not_exist] wrong numbers: b[0] should be 0.5
 * A tile of two queries is padded with zeros to four rows, and so is L. Then
 * each row of padding has the weight e^{0 - 0} = 1 instead of 0. */
GIVES(sum_of(4, [](int i) { return i < 2 ? 0.25f : 1; })) // <- here

/* [L_of_a_row_that_sees_nothing] wrong numbers: b[0] should be 1
 * A row without a visible key has L = -inf, so 2^{s - L} is infinite. Such an L
 * must be set to +inf, unless each weight is masked. */
GIVES(exp2f(0 - 0) + exp2f(0 - -INFINITY)) // <- here
