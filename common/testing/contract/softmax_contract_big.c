/*
 * Claims of softmax_contract.h: scores beyond what e^x can hold, and shifts.
 */
#include "common/testing/contract/softmax_contract.h"

#include <float.h>
#include <math.h>

#include "common/testing/assert_close.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* --- Beyond what e^x can hold --------------------------------------------- */

static const float big[] = {89, 1e4f, 7e4f, 1e6f, 1e30f, FLT_MAX};

/* Alone, tied, and before, after and among scores near it and far from it. */
static void check_around(const softmax_subject *s, float a)
{
    float rows[][5] = {
        {a, a, a, a, a},     {a, a - 1, a - 2, 0, a}, {0, 0, 0, 0, a},
        {a, 0, 0, 0, 0},     {0, a, a / 2, a, 0},     {a, a + 1, a + 2, a, 1},
        {a - 4, a, a, 0, a},
    };

    check_softmax(s, &a, 1);
    for (size_t k = 0; k < COUNT(rows); k++)
        check_softmax(s, rows[k], 5);
}

void a_score_of_89_does_not_overflow(void **subject)
{
    check_around(*subject, 89);
}

void big_scores_do_not_overflow(void **subject)
{
    for (size_t k = 0; k < COUNT(big); k++)
        check_around(*subject, big[k]);
}

void very_negative_scores_do_not_underflow(void **subject)
{
    check_softmax(*subject, (float[]){-104, -105, -104}, 3);
    for (size_t k = 0; k < COUNT(big); k++)
        check_around(*subject, -big[k]);
}

void big_scores_of_both_signs_are_right(void **subject)
{
    for (size_t k = 0; k < COUNT(big); k++) {
        float a = big[k];

        check_softmax(*subject, (float[]){-a, a, 0, -a, a}, 5);
        check_softmax(*subject, (float[]){a, -a, a - 1, -1, 1}, 5);
    }
}

/* --- softmax(x + c) = softmax(x), and L grows by c ------------------------ */

static float some_score(size_t i)
{
    return (float)(i * 37 % 256) / 16 - 8; /* multiples of 1/16 in [-8, 8) */
}

/* c is a whole number: x + c is exact, any difference is the step's own. */
static void check_shift(const softmax_subject *s, float c)
{
    float x[200], shifted[200];

    for (size_t i = 0; i < 200; i++) {
        x[i] = some_score(i);
        shifted[i] = x[i] + c;
    }
    softmax_row a = softmax_of(s, x, 200, FP32);
    softmax_row b = softmax_of(s, shifted, 200, FP32);
    assert_close(b.L, (double)a.L + (double)c,
                 1e-5 + 0x1p-23 * fabs((double)c));

    softmax_row b_for_x = b;
    b_for_x.x = a.x;
    check_weights(&b_for_x);
    softmax_free(&a);
    softmax_free(&b);
}

void a_small_shift_changes_nothing(void **subject)
{
    check_shift(*subject, 64);
    check_shift(*subject, -64);
}

void a_big_shift_changes_nothing(void **subject)
{
    const float c[] = {1e4f, -1e4f, 7e4f, 1e6f, -1e6f};

    for (size_t k = 0; k < COUNT(c); k++)
        check_shift(*subject, c[k]);
}
