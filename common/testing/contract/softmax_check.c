/*
 * Running and judging one row (softmax_contract.h).
 */
#include "common/testing/contract/softmax_contract.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/judge/reference.h"
#include "common/testing/assert_close.h"
#include "common/testing/attention_case.h"

static float *copy_of(const float *x, size_t n)
{
    float *copy = case_block(n, sizeof *copy);

    if (n > 0)
        memcpy(copy, x, n * sizeof *copy);
    return copy;
}

static softmax_row run(const softmax_subject *s, const float *x, float *y,
                       size_t n, precision type)
{
    softmax_row r = {
        .n = n, .x = x, .y = y, .L = NAN, .block = s->block, .type = type};

    s->run(&r);
    return r;
}

softmax_row softmax_of(const softmax_subject *s, const float *x, size_t n,
                       precision type)
{
    float *y = case_block(n, sizeof *y);

    for (size_t i = 0; i < n; i++)
        y[i] = NAN;
    return run(s, copy_of(x, n), y, n, type);
}

softmax_row softmax_in_place(const softmax_subject *s, const float *x, size_t n)
{
    float *y = copy_of(x, n);

    return run(s, y, y, n, FP32);
}

void softmax_free(softmax_row *r)
{
    if (r->x != r->y)
        free((float *)r->x);
    free(r->y);
}

static double sum_tolerance(size_t n)
{
    return fmax(1e-6, (double)n * 0x1p-25);
}

/* How far y may be off when the right weight of a score, depth below m, is. */
static double weight_tolerance(size_t n, double depth, double weight)
{
    /* Deeper than 104 every weight is 0 in fp32, however deep. */
    double relative = sum_tolerance(n) + 0x1p-24 * fmin(depth, 104);

    return relative * fmax(weight, (double)FLT_MIN);
}

static void check_weights(const softmax_row *r)
{
    double *want = case_block(r->n, sizeof *want), m = -HUGE_VAL;

    reference_softmax(r->x, want, r->n, NULL);
    for (size_t i = 0; i < r->n; i++)
        m = fmax(m, (double)r->x[i]);

    for (size_t i = 0; i < r->n; i++) {
        double x = (double)r->x[i], y = (double)r->y[i];
        double tolerance = weight_tolerance(r->n, m - x, want[i]);
        char what[96];

        if (is_close_or_nan(y, want[i], tolerance))
            continue;
        snprintf(what, sizeof what, "y[%zu] of %zu, x = %.9g, max %.9g", i,
                 r->n, x, m);
        assert_close_at(y, want[i], tolerance, what, __FILE__, __LINE__);
    }
    free(want);
}

void check_row(const softmax_row *r)
{
    double *y = case_block(r->n, sizeof *y), want, tolerance;
    char what[32];

    check_weights(r);
    reference_softmax(r->x, y, r->n, &want);
    free(y);

    /* L = m + ln l: the sum's error, and two roundings of the result. */
    tolerance = sum_tolerance(r->n) + 0x1p-23 * fabs(want);
    if (is_close_or_nan((double)r->L, want, tolerance))
        return;
    snprintf(what, sizeof what, "L of %zu", r->n);
    assert_close_at((double)r->L, want, tolerance, what, __FILE__, __LINE__);
}

void check_softmax(const softmax_subject *s, const float *x, size_t n)
{
    softmax_row r = softmax_of(s, x, n, FP32);

    check_row(&r);
    softmax_free(&r);
}
