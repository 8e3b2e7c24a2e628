/*
 * Claims of softmax_contract.h: finite rows of every shape.
 *
 * They are peaked, rising or broken: among uniform random scores every weight
 * is about 1/n, and a wrong one looks like a right one. All keep to
 * max x + ln n < 88 and max x > -80, so that naive_softmax passes too.
 */
#include "common/testing/contract/softmax_contract.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/testing/assert_close.h"
#include "common/problem/random.h"

/* --- Scores --------------------------------------------------------------- */

static float rising(size_t i, size_t n)
{
    return 80 * (float)i / (float)n;
}

static float falling(size_t i, size_t n)
{
    return -rising(i, n);
}

static float sawtooth(size_t i, size_t n)
{
    return (float)(i % 7) * 3 + rising(i, n) / 4;
}

static float tied(size_t i, size_t n)
{
    (void)i, (void)n;
    return 3.25f;
}

static float tied_in_pairs(size_t i, size_t n)
{
    (void)n;
    return i / 2 % 2 ? 5 : 4.5f;
}

static float denormal(size_t i, size_t n)
{
    (void)n;
    return (float)i * 0x1p-149f;
}

static float first_dominates(size_t i, size_t n)
{
    return i == 0 ? 80 : sawtooth(i, n);
}

static float middle_dominates(size_t i, size_t n)
{
    return i == n / 2 ? 80 : sawtooth(i, n);
}

static float last_dominates(size_t i, size_t n)
{
    return i == n - 1 ? 80 : sawtooth(i, n);
}

/* Every score from a seed of its own: the row depends on i and n alone. */
static float normal(size_t i, size_t n)
{
    random_source source = random_seed((uint64_t)n << 32 | i);

    return (float)random_normal(&source);
}

static float normal_sigma_4(size_t i, size_t n)
{
    return 4 * normal(i, n);
}

static float normal_sigma_16(size_t i, size_t n)
{
    return 16 * normal(i, n);
}

/* --- Claims --------------------------------------------------------------- */

void random_rows_are_right(void **subject)
{
    check_rows(*subject, normal, check_weights);
    check_rows(*subject, normal_sigma_4, check_weights);
    check_rows(*subject, normal_sigma_16, check_weights);
}

void rising_scores_are_right(void **subject)
{
    check_rows(*subject, rising, check_weights);
}

void falling_scores_are_right(void **subject)
{
    check_rows(*subject, falling, check_weights);
}

void sawtooth_scores_are_right(void **subject)
{
    check_rows(*subject, sawtooth, check_weights);
}

void ties_share_the_weight(void **subject)
{
    check_rows(*subject, tied, check_weights);
    check_rows(*subject, tied_in_pairs, check_weights);
}

void denormal_differences_make_no_difference(void **subject)
{
    check_rows(*subject, denormal, check_weights);
}

void the_first_score_may_dominate(void **subject)
{
    check_rows(*subject, first_dominates, check_weights);
}

void the_middle_score_may_dominate(void **subject)
{
    check_rows(*subject, middle_dominates, check_weights);
}

void the_last_score_may_dominate(void **subject)
{
    check_rows(*subject, last_dominates, check_weights);
}

static void sums_to_one(const softmax_row *r)
{
    double sum = 0;

    for (size_t i = 0; i < r->n; i++)
        sum += (double)r->y[i];
    assert_close(sum, 1, fmax(1e-6, (double)r->n * 0x1p-25));
}

void weights_sum_to_one(void **subject)
{
    check_rows(*subject, normal_sigma_4, sums_to_one);
    check_rows(*subject, rising, sums_to_one);
    check_rows(*subject, falling, sums_to_one);
}

void the_logsumexp_is_right(void **subject)
{
    check_rows(*subject, normal_sigma_4, check_logsumexp);
    check_rows(*subject, rising, check_logsumexp);
    check_rows(*subject, falling, check_logsumexp);
    check_rows(*subject, tied, check_logsumexp);
}

void a_single_score_has_weight_one(void **subject)
{
    const float x[] = {-70.5f, -1, 0, 0.3f, 70.5f};

    for (size_t k = 0; k < sizeof x / sizeof x[0]; k++)
        check_softmax(*subject, &x[k], 1);
}

void a_million_scores_are_right(void **subject)
{
    const size_t n = 1000000;
    float *x = malloc(n * sizeof *x);

    for (size_t i = 0; x && i < n; i++)
        x[i] = normal_sigma_4(i, n);
    check_softmax(*subject, x, n);
    free(x);
}
