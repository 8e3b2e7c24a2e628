/*
 * The tests of every softmax (softmax_contract.h).
 *
 * Most rows have scores of a wide range, because in a row of uniform random
 * scores every weight is about 1/n and a wrong weight does not show. For
 * naive_softmax e^x must stay in fp32's range: max x + ln n < 88 and max x >
 * -80.
 */
#include "common/testing/contract/softmax_contract.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "common/judge/reference.h"
#include "common/data/random.h"
#include "common/testing/assert_close.h"
#include "common/testing/attention_case.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static float *copy_of(const float *x, size_t n)
{
    float *copy = case_block(n, sizeof *copy);

    if (n > 0)
        memcpy(copy, x, n * sizeof *copy);
    return copy;
}

static softmax_row run_on(const softmax_subject *s, const float *x, float *y,
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
    return run_on(s, copy_of(x, n), y, n, type);
}

void softmax_free(softmax_row *r)
{
    if (r->x != r->y)
        free((float *)r->x);
    free(r->y);
}

/* Checks the weights of a row with the tolerance of softmax_contract.h. That of
 * L = m + ln l is the error of the sum plus two roundings of L. The weight of
 * an x < m - 104 is 0 in fp32, so m - x counts as at most 104. */
static void check_row(const softmax_row *r)
{
    double *want = case_block(r->n, sizeof *want), m = -HUGE_VAL, L;
    double sum = fmax(1e-6, (double)r->n * 0x1p-25);
    char what[96];

    reference_softmax(r->x, want, r->n, &L);
    for (size_t i = 0; i < r->n; i++)
        m = fmax(m, (double)r->x[i]);
    for (size_t i = 0; i < r->n; i++) {
        double x = (double)r->x[i], y = (double)r->y[i];
        double tolerance =
            (sum + 0x1p-24 * fmin(m - x, 104)) * fmax(want[i], (double)FLT_MIN);

        if (is_close_or_nan(y, want[i], tolerance))
            continue;
        snprintf(what, sizeof what, "y[%zu] of %zu, x = %.9g, max %.9g", i,
                 r->n, x, m);
        assert_close_at(y, want[i], tolerance, what, __FILE__, __LINE__);
    }
    free(want);
    if (is_close_or_nan((double)r->L, L, sum + 0x1p-23 * fabs(L)))
        return;
    snprintf(what, sizeof what, "L of %zu", r->n);
    assert_close_at((double)r->L, L, sum + 0x1p-23 * fabs(L), what, __FILE__,
                    __LINE__);
}

static void check_softmax(const softmax_subject *s, const float *x, size_t n)
{
    softmax_row r = softmax_of(s, x, n, FP32);

    check_row(&r);
    softmax_free(&r);
}

typedef float softmax_scores(size_t i, size_t n, int kind);

static float slanted(size_t i, size_t n, int kind)
{
    return (float)kind * 80 * (float)i / (float)n;
}

/* kind is the standard deviation. Each score has its own seed, from i and n. */
static float normal(size_t i, size_t n, int kind)
{
    random_source source = random_seed((uint64_t)n << 32 | i);

    return (float)kind * (float)random_normal(&source);
}

/* Scores are multiples of 1/16 in [kind - 8, kind + 8). */
static float shifted(size_t i, size_t n, int kind)
{
    return (float)(i * 37 % 256) / 16 - 8 + (float)kind;
}

enum { ONE, BEGINNING, ALL_BUT_THE_LAST, TWO_THIRDS, ALL };

static float masked(size_t i, size_t n, int kind)
{
    const bool is_masked[] = {
        [ONE] = n > 1 && i == n / 2,
        [BEGINNING] = i < n / 2,
        [ALL_BUT_THE_LAST] = i < n - 1,
        [TWO_THIRDS] = i % 3,
        [ALL] = true,
    };

    return is_masked[kind] ? -INFINITY : shifted(i, n, 0);
}

/* Some lengths are near multiples of a block. The weight of a masked score must
 * be exactly +0. */
static void check_rows(const softmax_subject *s, softmax_scores *score,
                       int kind)
{
    const size_t lengths[] = {1, 2, 3, 5, 63, 64, 65, 128, 200, 1000};

    for (size_t l = 0; l < COUNT(lengths); l++) {
        size_t n = lengths[l];
        softmax_row r;
        float x[1000];

        for (size_t i = 0; i < n; i++)
            x[i] = score(i, n, kind);
        r = softmax_of(s, x, n, FP32);
        check_row(&r);
        for (size_t i = 0; i < n; i++)
            if (x[i] == -INFINITY && (r.y[i] != 0 || signbit(r.y[i])))
                fail_msg("y[%zu] of %zu is masked: want 0, got %g", i, n,
                         (double)r.y[i]);
        softmax_free(&r);
    }
}

static void a_million_scores(const softmax_subject *s)
{
    const size_t n = 1000000;
    float *x = malloc(n * sizeof *x);

    for (size_t i = 0; x && i < n; i++)
        x[i] = normal(i, n, 4);
    check_softmax(s, x, n);
    free(x);
}

/* Checks rows with the score a: a alone, equal scores, and a before, after and
 * among scores that are near it, far from it, or masked. In a row with a NaN or
 * +inf all of y, and L, must be NaN. */
static void check_around(const softmax_subject *s, float a)
{
    float rows[][5] = {
        {a, a, a, a, a},
        {a, a - 1, a - 2, 0, a},
        {0, 0, 0, 0, a},
        {a, 0, 0, 0, 0},
        {0, a, a / 2, a, 0},
        {a, a + 1, a + 2, a, 1},
        {a - 4, a, a, 0, a},
        {-a, a, 0, -a, a},
        {a, -a, a - 1, -1, 1},
        {0, 1, a, 3, 4},
        {-INFINITY, a, 0, -INFINITY, 1},
        {a, -INFINITY, -INFINITY, -INFINITY, -INFINITY},
        {-INFINITY, -INFINITY, -INFINITY, -INFINITY, a},
        {a, NAN, 0, 1, 2},
    };

    check_softmax(s, &a, 1);
    for (size_t k = 0; k < COUNT(rows); k++)
        check_softmax(s, rows[k], 5);
}

enum { N = 200 };

static const float *some_scores(float x[N])
{
    for (size_t i = 0; i < N; i++)
        x[i] = shifted(i, N, 0);
    return x;
}

static void passes(const softmax_subject *s)
{
    float x[N];
    softmax_row r = softmax_of(s, some_scores(x), N, FP32);
    softmax_row empty = softmax_of(s, NULL, 0, FP32);

    assert_int_equal(r.read, s->passes * N);
    assert_int_equal(r.written, N);
    assert_close(empty.L, -HUGE_VAL, 0);
    assert_int_equal(empty.read, 0);
    assert_int_equal(empty.written, 0);
    softmax_free(&r);
    softmax_free(&empty);
}

static void in_place(const softmax_subject *s)
{
    float x[N], *y;
    softmax_row separate = softmax_of(s, some_scores(x), N, FP32), same;

    y = copy_of(x, N);
    same = run_on(s, y, y, N, FP32);
    assert_memory_equal(same.y, separate.y, N * sizeof *separate.y);
    assert_memory_equal(&same.L, &separate.L, sizeof separate.L);
    softmax_free(&separate);
    softmax_free(&same);
}

static void narrow_storage(const softmax_subject *s)
{
    for (precision type = BF16; type <= FP16; type++) {
        float x[N];
        softmax_row wide = softmax_of(s, some_scores(x), N, FP32);
        softmax_row narrow = softmax_of(s, x, N, type);

        for (size_t i = 0; i < N; i++)
            assert_close(narrow.y[i], (double)round_to(type, wide.y[i]), 0);
        assert_close(narrow.L, (double)wide.L, 0);
        softmax_free(&wide);
        softmax_free(&narrow);
    }
}

/* A test sets `score` and `kind` (arguments of check_rows), or `around`
 * (scores for check_around), or `run` (a function that checks it). */
typedef struct {
    const char *name;
    softmax_scores *score;
    int kind;
    float around[7]; /* scores; the list ends with a 0 */
    void (*run)(const softmax_subject *s);
    bool big; /* skipped for naive_softmax, which does not satisfy it */
} softmax_test;

static const softmax_test tests[] = {
    {"random_rows_are_right", normal, .kind = 16},
    {"rising_scores_are_right", slanted, .kind = 1},
    {"falling_scores_are_right", slanted, .kind = -1},
    {"a_masked_score_has_weight_zero", masked, .kind = ONE},
    {"a_leading_masked_block_has_weight_zero", masked, .kind = BEGINNING},
    {"all_scores_but_the_last_may_be_masked", masked, .kind = ALL_BUT_THE_LAST},
    {"scattered_masked_scores_have_weight_zero", masked, .kind = TWO_THIRDS},
    {"a_row_of_masked_scores_is_zero", masked, .kind = ALL, .big = true},
    {"rows_about_minus_64_are_right", shifted, .kind = -64},
    {"rows_about_minus_a_million_are_right", shifted, .kind = -1000000,
     .big = true},
    {"a_single_score_has_weight_one", .around = {-70.5f, 0.3f, 70.5f}},
    {"a_million_scores_are_right", .run = a_million_scores},
    {"a_nan_makes_the_row_nan", .around = {NAN}},
    {"plus_infinity_makes_the_row_nan", .around = {INFINITY}, .big = true},
    {"big_scores_do_not_overflow",
     .around = {89, 1e4f, 7e4f, 1e6f, 1e30f, FLT_MAX}, .big = true},
    {"very_negative_scores_do_not_underflow",
     .around = {-89, -104, -1e4f, -7e4f, -1e30f, -FLT_MAX}, .big = true},
    {"passes_over_any_row_are_counted", .run = passes},
    {"weights_may_overwrite_the_scores", .run = in_place},
    {"narrow_storage_rounds_only_the_weights", .run = narrow_storage},
};

typedef struct {
    const softmax_test *test;
    const softmax_subject *subject;
} step_test;

static void check_step_test(void **state)
{
    const step_test *t = *state;

    for (const float *a = t->test->around; *a != 0; a++)
        check_around(t->subject, *a);
    if (t->test->run)
        t->test->run(t->subject);
    if (t->test->score)
        check_rows(t->subject, t->test->score, t->test->kind);
}

int run_softmax_tests(const char *name, const softmax_entry steps[])
{
    static step_test added[MOST_TESTS + 1];
    size_t n = 0;

    for (const softmax_entry *s = steps; s->name; s++)
        for (size_t k = 0; k < COUNT(tests); k++) {
            const softmax_test *c = &tests[k];

            if (c->big && s->is_naive)
                continue;
            added[n] = (step_test){c, &s->subject};
            add_named_test(s->name, c->name, check_step_test, &added[n++]);
        }
    return run_tests(name);
}
