/* Tests the float64 references, and the errors that use them. */
#include "common/judge/reference.h"

#include <math.h>

#include "common/judge/reference_attention.h"
#include "common/lesson/bundled.h"
#include "common/lesson/attention/measure.h"
#include "common/memory_limit.h"
#include "common/testing/assert_close.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#define INF INFINITY

static const struct {
    size_t n;
    float x[6];
    double y[6], L, tolerance;
} softmaxes[] = {
    {2,
     {0.5f, 0},
     {0.62245933120185459, 0.37754066879814541},
     0.97407698418010669,
     1e-15},
    {2,
     {1e6f + 10, 1e6f},
     {0.99995460213129756, 4.5397868702434395e-05},
     1000010.0000453989,
     1e-9},
    /* Here l is 4.95344 and the maximum 0.5. */
    {6,
     {0.1f, 0.5f, 0.4f, 0.2f, 0.3f, 0.3f},
     {0.135324, 0.201880, 0.182669, 0.149556, 0.165285, 0.165285},
     2.100082,
     1e-6},
    {4, {-INF, 2, -INF, 2}, {0, 0.5, 0, 0.5}, 2.6931471805599453, 1e-15},
    {2, {-INF, -INF}, {0, 0}, -HUGE_VAL, 0},
    {0, {0}, {0}, -HUGE_VAL, 0},
};

TEST(softmax_equals_results_by_hand)
{
    for (size_t k = 0; k < sizeof softmaxes / sizeof *softmaxes; k++) {
        double y[6] = {9, 9}, L = 9;

        reference_softmax(softmaxes[k].x, y, softmaxes[k].n, &L);
        for (size_t i = 0; i < softmaxes[k].n; i++)
            assert_close(y[i], softmaxes[k].y[i], softmaxes[k].tolerance);
        assert_close(L, softmaxes[k].L, softmaxes[k].tolerance);
    }
}

/* The sum has the terms 1 and 2^20 times e^-37. A plain sum in this order would
 * lose every term but the first. */
TEST(a_long_sum_loses_no_small_terms)
{
    const size_t n = (size_t)1 << 20;
    float *x = malloc((n + 1) * sizeof *x);
    double *y = malloc((n + 1) * sizeof *y);

    assert_true(x && y);
    x[0] = 0;
    for (size_t i = 1; i <= n; i++)
        x[i] = -37;
    reference_softmax(x, y, n + 1, NULL);

    assert_close(1 - y[0], 8.947549e-11, 1e-15); /* 2^20 e^-37 */
    free(x);
    free(y);
}

TEST(relative_error_is_a_quotient_of_norms)
{
    const double nan = (double)NAN, inf = HUGE_VAL;
    const struct {
        float got[2];
        double want[2], error;
    } cases[] = {
        {{3, 4.5f}, {3, 4}, 0.1},       {{0, 0}, {0, 0}, 0},
        {{1, 0}, {0, 0}, inf},          {{NAN, 4}, {3, 4}, nan},
        {{3, NAN}, {3, 4}, nan},        {{INF, 4}, {3, 4}, inf},
        {{NAN, 4.5f}, {nan, 4}, 0.125}, {{3, 4}, {nan, 4}, nan},
        {{INF, 4.5f}, {inf, 4}, 0.125}, {{-INF, 4}, {inf, 4}, inf},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double error = relative_error(cases[k].got, cases[k].want, 2);

        if (!is_close_or_nan(error, cases[k].error, 1e-15))
            fail_msg("(%g, %g) for (%g, %g): want an error of %g, got %g",
                     (double)cases[k].got[0], (double)cases[k].got[1],
                     cases[k].want[0], cases[k].want[1], cases[k].error, error);
    }
}

static float Q[2], K[3], V[6];

/* Returns a head of 2 queries and 3 keys. Row 0 has the scores 0, ln 2, ln 3
 * and the weights 1/6, 2/6, 3/6. Row 1 has the negated scores. */
static head by_hand(void)
{
    const float values[] = {6, 0, 0, 6, 12, 6};

    for (size_t e = 0; e < 6; e++)
        V[e] = values[e];
    for (size_t j = 0; j < 3; j++)
        K[j] = logf((float)(j + 1));
    Q[0] = 1;
    Q[1] = -1;
    return (head){.Nq = 2,
                  .Nk = 3,
                  .d = 1,
                  .dv = 2,
                  .Q = hbm_of(Q, 2, 1),
                  .K = hbm_of(K, 3, 1),
                  .V = hbm_of(V, 3, 2),
                  .scale = 1};
}

static void check_rows(const head *h, double want[2][3])
{
    double O[4], L[2];

    assert_int_equal(reference_attention(h, O, L), 0);
    for (size_t i = 0; i < 2; i++)
        for (size_t c = 0; c < 3; c++) {
            double got = c < 2 ? O[2 * i + c] : L[i];

            if (!is_close_or_nan(got, want[i][c], 2e-7))
                fail_msg("%s of row %zu: want %.9g, got %.9g",
                         c < 2 ? "O" : "L", i, want[i][c], got);
        }
}

#define ROWS(...) ((double[2][3]){__VA_ARGS__})

/* Row 0 is (1 (6,0) + 2 (0,6) + 3 (12,6)) / 6 = (42, 30) / 6. Row 1 has the
 * weights 6, 3 and 2 of 11: (6 (6,0) + 3 (0,6) + 2 (12,6)) / 11 = (60, 30) /
 * 11. With a scale of 2 the weights are 1, 4 and 9 of 14 in row 0, and 36, 9
 * and 4 of 49 in row 1. */
TEST(attention_equals_results_by_hand)
{
    head h = by_hand();

    check_rows(&h, ROWS({7, 5, log(6)}, {60. / 11, 30. / 11, log(11. / 6)}));
    assert_close(reference_score(&h, 1, 2), -log(3), 1e-7);
    h.scale = 2;
    check_rows(&h, ROWS({114. / 14, 78. / 14, log(14)},
                        {264. / 49, 78. / 49, log(49. / 36)}));
    h = by_hand();
    K[1] = 1e30f;
    check_rows(&h, ROWS({0, 6, (double)1e30f}, {7.5, 1.5, log(4. / 3)}));
    h.Nk = 0;
    check_rows(&h, ROWS({0, 0, -HUGE_VAL}, {0, 0, -HUGE_VAL}));
    h.Nq = 0;
    assert_int_equal(reference_attention(&h, NULL, NULL), 0);
}

/* A wrong softmax of two scores. The second weight is NaN if the second score
 * is negative. Otherwise the weights are 1 and 0 if the first score is
 * negative, or 0.5 each. */
static void halves(softmax_row *r)
{
    float first = get(r, 0), second = get(r, 1);

    put(r, 0, first < 0 ? 1 : 0.5f);
    put(r, 1, second < 0 ? NAN : first < 0 ? 0 : 0.5f);
}

/* Row 0 is correct. In row 1 each weight is wrong by 0.4, and the norm of the
 * expected weights is ||(0.1, 0.9)||. Row 3 has the largest error. Row 4 is
 * correct, so the row with the largest error is neither the first nor the
 * last. */
TEST(the_worst_row_that_is_not_lost_gives_the_error)
{
    const float x[10] = {7, 7, 0, 2.1972246f, 3, -1, -5, 7, 6, 6};
    const softmax_step step = {"halves", "", halves};
    softmax_verdict v;

    assert_int_equal(softmax_judge(&v, &step, 1, x, 2, 2), 0);
    assert_int_equal(v.lost, 0);
    assert_close(v.error, 0.4 * sqrt(2) / sqrt(0.82), 1e-6);
    assert_int_equal(softmax_judge(&v, &step, 1, x, 5, 2), 0);
    assert_close(v.passes, 1, 0);
    assert_int_equal(v.lost, 1);
    assert_close(v.error, sqrt(2), 1e-4);
    assert_int_equal(softmax_judge(&v, &step, 1, x + 4, 1, 2), 0);
    assert_int_equal(v.lost, 1);
    assert_true(isnan(v.error));
    assert_int_equal(softmax_judge(&v, &step, 1, x, 0, 2), 0);
    assert_close(v.passes, 0, 0);
}

/* Returns random heads for which O is 0, so that the error is 1. */
static problem known_problem(problem_sizes sizes)
{
    problem p;

    assert_int_equal(problem_random(&p, &sizes), 0);
    assert_close(problem_error(&p), 1, 0);
    return p;
}

static void write_truth(problem *p)
{
    size_t dv = p->layer.each.dv;

    for (size_t at = 0; at < p->O.size / dv; at += p->every)
        for (size_t c = 0; c < dv; c++)
            p->O.data[at * dv + c] = (float)p->truth[at / p->every * dv + c];
}

/* One element that is wrong by 1 gives the error 1 / ||O||. */
TEST(the_error_is_relative_over_all_heads)
{
    problem p = known_problem((problem_sizes){2, 4, 2, 7, 9, 3, 3, 5});
    double norm = 0;

    for (size_t nth = 0; nth < 8; nth++) {
        head h = head_at(&p.layer, nth);
        double O[7 * 3];

        assert_int_equal(reference_attention(&h, O, NULL), 0);
        assert_memory_equal(p.truth + nth * 7 * 3, O, sizeof O);
    }
    write_truth(&p);
    assert_true(problem_error(&p) < 6e-8);
    for (size_t i = 0; i < p.O.size; i++)
        norm += p.truth[i] * p.truth[i];
    p.O.data[p.O.size - 1] += 1; /* in the last head's last row */
    assert_close(problem_error(&p), 1 / sqrt(norm), 1e-6);
    problem_free(&p);
}

TEST(a_large_problem_is_sampled_in_every_head)
{
    if (is_short())
        skip();
    problem p = known_problem((problem_sizes){2, 4, 2, 64, 40000, 16, 16, 5});
    size_t heads_sampled = 0, last = (size_t)-1;
    double want[16];
    head h;

    assert_true(p.every > 1 && p.every % 2 == 1);
    for (size_t at = 0; at < 8 * 64; last = at / 64, at += p.every)
        heads_sampled += at / 64 != last;
    assert_int_equal(heads_sampled, 8);
    h = head_at(&p.layer, p.every / 64); /* the second sampled row */
    h = head_of_queries(&h, one(p.every % 64));
    assert_int_equal(reference_attention(&h, want, NULL), 0);
    assert_memory_equal(p.truth + 16, want, sizeof want);
    write_truth(&p);
    assert_true(problem_error(&p) < 6e-8);
    problem_free(&p);
}

static int never_run(const head *h, memory *mem)
{
    (void)h, (void)mem;
    fail_msg("the step runs, although the memory does not suffice");
    return 1;
}

TEST(a_reference_that_exceeds_the_memory_is_refused_before_the_step_runs)
{
    const attention_step step = {.name = "step", .run = never_run};
    problem p = known_problem((problem_sizes){1, 1, 1, 5, 3, 2, 2, 5});
    measurement m;

    needs_64_bits();
    if (isinf(memory_limit_of("").bytes))
        skip();
    p.layer.each.Nk = 0; /* every row of O is computed */
    p.layer.each.Nq = (size_t)1 << 40;
    begin_capture();
    measure_runs(&m, &p, &step, 1, true);
    assert_error_line("float64 reference",
                      "with Q, K, V, O and L it needs 17.6 TB (allowed: ");
    assert_int_equal(p.status, 1);
    assert_false(m.done);
    problem_free(&p);
}

TEST(bundled_scores_are_q_k_over_the_root_of_d)
{
    npy_array x, q, k;
    size_t N;

    assert_int_equal(bundled_scores(&x) || npy_read(BUNDLED_Q, &q) ||
                         npy_read(BUNDLED_K, &k),
                     0);
    N = q.shape[2];
    for (size_t i = 0; i < x.size / N; i++) { /* a row of a head */
        size_t d = q.shape[3], j = i / N * N + N - 1;
        double want = 0;

        for (size_t c = 0; c < d; c++)
            want += (double)q.data[i * d + c] * (double)k.data[j * d + c];
        assert_close(x.data[i * N + N - 1], want / sqrt((double)d), 1e-5);
    }
    npy_free(&x);
    npy_free(&q);
    npy_free(&k);
}
