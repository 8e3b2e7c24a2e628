/*
 * Claims of softmax_contract.h: scores that are masked, infinite or no numbers
 * at all.
 */
#include "common/testing/contract/softmax_contract.h"

#include <math.h>

#include "common/testing/assert_close.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* --- Masked --------------------------------------------------------------- */

static float some_score(size_t i)
{
    return (float)(i * 37 % 256) / 16 - 8; /* multiples of 1/16 in [-8, 8) */
}

static float one_masked(size_t i, size_t n)
{
    return n > 1 && i == n / 2 ? -INFINITY : some_score(i);
}

static float beginning_masked(size_t i, size_t n)
{
    return i < n / 2 ? -INFINITY : some_score(i);
}

static float all_masked_but_last(size_t i, size_t n)
{
    return i < n - 1 ? -INFINITY : some_score(i);
}

static float two_thirds_masked(size_t i, size_t n)
{
    (void)n;
    return i % 3 ? -INFINITY : some_score(i);
}

static float all_masked(size_t i, size_t n)
{
    (void)i, (void)n;
    return -INFINITY;
}

/* Right, and 0 where masked: not a small number, not -0. */
static void masked_are_zero(const softmax_row *r)
{
    check_weights(r);
    check_logsumexp(r);
    for (size_t i = 0; i < r->n; i++)
        if (r->x[i] == -INFINITY) {
            assert_close(r->y[i], 0, 0);
            assert_close(signbit(r->y[i]), 0, 0);
        }
}

void a_masked_score_has_weight_zero(void **subject)
{
    check_rows(*subject, one_masked, masked_are_zero);
}

void a_leading_masked_block_has_weight_zero(void **subject)
{
    check_rows(*subject, beginning_masked, masked_are_zero);
    check_rows(*subject, all_masked_but_last, masked_are_zero);
}

void scattered_masked_scores_have_weight_zero(void **subject)
{
    check_rows(*subject, two_thirds_masked, masked_are_zero);
}

void a_row_of_masked_scores_is_zero(void **subject)
{
    check_rows(*subject, all_masked, masked_are_zero);
}

/* --- NaN and +inf --------------------------------------------------------- */

/* The reference is all NaN, in y and in L, and so must the row be. */
static void check_all_nan(const softmax_subject *s, float rows[][5],
                          size_t count)
{
    for (size_t k = 0; k < count; k++)
        check_softmax(s, rows[k], 5);
}

void a_nan_makes_the_row_nan(void **subject)
{
    float rows[][5] = {
        {NAN, 1, 2, 3, 4},
        {0, 1, NAN, 3, 4},
        {0, 1, 2, 3, NAN},
        {-INFINITY, NAN, 0, -INFINITY, 1},
        {NAN, -INFINITY, -INFINITY, -INFINITY, -INFINITY},
        {-INFINITY, -INFINITY, -INFINITY, -INFINITY, NAN},
        {NAN, NAN, NAN, NAN, NAN},
    };

    check_all_nan(*subject, rows, COUNT(rows));
}

void plus_infinity_makes_the_row_nan(void **subject)
{
    float rows[][5] = {
        {INFINITY, 1, 2, 3, 4},
        {0, 1, INFINITY, 3, 4},
        {0, 1, 2, 3, INFINITY},
        {-INFINITY, INFINITY, 0, -INFINITY, 1},
        {-INFINITY, -INFINITY, -INFINITY, -INFINITY, INFINITY},
        {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY},
        {INFINITY, NAN, 0, 1, 2},
    };

    check_all_nan(*subject, rows, COUNT(rows));
}
