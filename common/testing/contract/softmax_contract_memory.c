/*
 * Claims of softmax_contract.h: what a step reads and writes, and as what.
 */
#include "common/testing/contract/softmax_contract.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/testing/assert_close.h"

#define N 200

static const float *some_scores(float x[N])
{
    for (size_t i = 0; i < N; i++)
        x[i] = (float)(i * 37 % 101) / 7 - 9;
    return x;
}

void the_passes_over_the_row_are_counted(void **subject)
{
    const softmax_subject *s = *subject;
    float x[N];
    softmax_row r = softmax_of(s, some_scores(x), N, FP32);

    assert_int_equal(r.counts.read[ALGORITHM], s->passes * N);
    assert_int_equal(r.counts.written[ALGORITHM], N);
    softmax_free(&r);
}

/* NaNs stood in y and in L before; L is ln 0, and nothing was touched. */
void an_empty_row_is_left_alone(void **subject)
{
    softmax_row r = softmax_of(*subject, NULL, 0, FP32);

    assert_close(r.L, -HUGE_VAL, 0);
    assert_int_equal(r.counts.read[ALGORITHM], 0);
    assert_int_equal(r.counts.written[ALGORITHM], 0);
    softmax_free(&r);
}

void weights_may_take_the_place_of_the_scores(void **subject)
{
    float x[N];
    softmax_row apart = softmax_of(*subject, some_scores(x), N, FP32);
    softmax_row same = softmax_in_place(*subject, x, N);

    assert_memory_equal(same.y, apart.y, N * sizeof *apart.y);
    assert_memory_equal(&same.L, &apart.L, sizeof apart.L);
    softmax_free(&apart);
    softmax_free(&same);
}

static void check_narrow(const softmax_subject *s, precision type)
{
    float x[N];
    softmax_row wide = softmax_of(s, some_scores(x), N, FP32);
    softmax_row narrow = softmax_of(s, x, N, type);

    for (size_t i = 0; i < N; i++)
        assert_close(narrow.y[i], (double)round_to(type, wide.y[i]), 0);
    assert_close(narrow.L, (double)wide.L, 0);
    softmax_free(&wide);
    softmax_free(&narrow);
}

/* Sums and L are made in fp32, whatever the row is stored as. */
void narrow_storage_rounds_what_is_stored(void **subject)
{
    check_narrow(*subject, FP16);
    check_narrow(*subject, BF16);
}
