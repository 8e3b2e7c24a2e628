#include "tools/flash/flash.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "06_flash2/steps.h"
#include "common/judge/reference.h"
#include "common/judge/reference_attention.h"
#include "common/precision.h"
#include "common/lesson/attention/measure_backward.h"
#include "common/testing/assert_close.h"
#include "common/testing/rows.h"

#define SIZES(...)      .size = sizeof(flash_problem), __VA_ARGS__
#define BF16_SIZES(...) SIZES(__VA_ARGS__), .type = FLASH_BF16

static const double tolerance = 2e-5;

typedef struct {
    const char *test;
    flash_problem p;
} entry;

/* --- Problems ------------------------------------------------------------- */

enum { Q, K, V, O, L, DO, DQ, DK, DV, ARRAYS };

typedef struct {
    flash_problem p;
    backward_problem b;
    npy_array *numbers[ARRAYS]; /* the arrays of b */
    flash_array seen[ARRAYS];
} flash_case;

static void make_case(flash_case *a, const flash_problem *p)
{
    const problem_sizes s = {p->B, p->Hq, p->Hk, p->Nq, p->Nk, p->d, p->dv, 34};
    problem *f = &a->b.forward;
    npy_array *const numbers[] = {&f->Q,    &f->K,    &f->V,    &f->O,   &f->L,
                                  &a->b.dO, &a->b.dQ, &a->b.dK, &a->b.dV};

    *a = (flash_case){.p = *p};
    assert_int_equal(problem_random(f, &s), 0);
    assert_int_equal(backward_problem_set_up(&a->b), 0);
    f->layer.each.rule = (rule){.causal = p->causal != 0,
                                .window = p->window,
                                .offset = (long)p->Nk - (long)p->Nq,
                                .softcap = p->softcap};
    if (p->scale != 0)
        f->layer.each.scale = p->scale;
    for (size_t k = 0; k < ARRAYS; k++) {
        a->numbers[k] = numbers[k];
        a->seen[k].data = numbers[k]->data;
    }
}

/* Reverses batches, heads and columns. The results must stay the same. */
static void turn(flash_case *a)
{
    for (size_t k = 0; k < ARRAYS; k++) {
        const npy_array *x = a->numbers[k];
        ptrdiff_t H = (ptrdiff_t)x->shape[1], N = (ptrdiff_t)x->shape[2];
        ptrdiff_t cols = k == L ? 1 : (ptrdiff_t)x->shape[3];

        if (x->size)
            a->seen[k] =
                (flash_array){x->data + (ptrdiff_t)x->size - (N - 1) * cols - 1,
                              -H * N * cols, -N * cols, cols, -1};
    }
}

static int run_forward(const flash_case *a, flash_array o)
{
    const flash_array *x = a->seen;

    return flash_forward(&a->p, x[Q], x[K], x[V], o, x[L], NULL);
}

/* --- Outputs and gradients ------------------------------------------------ */

/* Checks O and the gradients. The gradients are right only if lse is right. */
static void expect_right(flash_case *a)
{
    const flash_array *x = a->seen;

    for (size_t k = O; k < ARRAYS; k++)
        for (size_t n = 0; n < a->numbers[k]->size && k != DO; n++)
            a->numbers[k]->data[n] = NAN;
    assert_int_equal(run_forward(a, x[O]), FLASH_OK);
    assert_close(problem_error(&a->b.forward), 0, tolerance);
    assert_int_equal(flash_backward(&a->p, (flash_inputs){x[Q], x[K], x[V]},
                                    x[O], x[L], x[DO],
                                    (flash_inputs){x[DQ], x[DK], x[DV]}, NULL),
                     FLASH_OK);
    assert_close(worst_gradient_error(problem_gradient_errors(&a->b)), 0,
                 tolerance);
    for (size_t n = 0; n < a->b.dK.size && a->p.Nq == 0; n++)
        assert_close(a->b.dK.data[n], 0, 0);
}

TEST(batches_may_have_different_numbers_of_keys)
{
    const flash_problem p = {SIZES(3, 4, 2, 2, 70, 16, 24), .causal = 1};
    const size_t keys[] = {70, 0, 33}, too_many[] = {70, 71, 0};
    double o[2 * 24], lse[2];
    flash_case a;

    make_case(&a, &p);
    assert_int_equal(flash_decode(&a.p, keys, a.seen[Q], a.seen[K], a.seen[V],
                                  a.seen[O], a.seen[L], NULL),
                     FLASH_OK);
    assert_int_equal(flash_decode(&a.p, too_many, a.seen[Q], a.seen[K],
                                  a.seen[V], a.seen[O], a.seen[L], NULL),
                     FLASH_INVALID);
    for (size_t nth = 0; nth < 12; nth++) {
        head h = head_at(&a.b.forward.layer, nth);

        h.Nk = keys[nth / 4];
        h.rule.offset = (long)h.Nk - 2;
        assert_int_equal(reference_attention(&h, o, lse), 0);
        assert_close(relative_error(h.O.hbm.data, o, 2 * 24), 0, tolerance);
        assert_close(relative_error(h.L.hbm.data, lse, 2), 0, tolerance);
    }
    backward_free(&a.b);
}

TEST(flash2_simd_computes_more_than_16_queries)
{
    const attention_step simd = {.run_layer = flash2_simd};

    for (size_t Nq = 16; Nq <= 17; Nq++) {
        const flash_problem p = {SIZES(1, 2, 2, Nq, 2100, 24, 40)};
        flash_case a;
        memory mem;

        make_case(&a, &p);
        assert_int_equal(run_forward(&a, a.seen[DO]), FLASH_OK);
        memory_init(&mem, MEMORY_UNBOUNDED);
        assert_int_equal(simd.run_layer(&simd, &a.b.forward.layer, &mem), 0);
        memory_reset(&mem);
        assert_int_equal(memcmp(a.b.forward.O.data, a.b.dO.data,
                                a.b.dO.size * sizeof(float)) == 0,
                         Nq == 17);
        backward_free(&a.b);
    }
}

/* --- bf16 ----------------------------------------------------------------- */

/* Values of FLASH2_TILES. */
static const char *const bf16_targets[] = {"", "model", "pairs_model"};
#define TARGETS_OF_BF16 (sizeof bf16_targets / sizeof *bf16_targets)

/* With inputs in fp32 and then in bf16, checks O in fp32 and in bf16. */
static void expect_bf16(flash_case *a, uint16_t *bits[4])
{
    flash_array o = a->seen[O], narrow_o = o;

    narrow_o.data = bits[O] + ((float *)o.data - a->numbers[O]->data);
    for (a->p.type = FLASH_FP32; a->p.type <= FLASH_BF16; a->p.type++) {
        for (size_t k = Q; k <= V && a->p.type == FLASH_BF16; k++)
            a->seen[k].data =
                bits[k] + ((float *)a->seen[k].data - a->numbers[k]->data);
        for (size_t n = 0; n < a->numbers[O]->size; n++)
            a->numbers[O]->data[n] = NAN;
        a->p.o_type = FLASH_FP32;
        assert_int_equal(run_forward(a, o), FLASH_OK);
        assert_close(problem_error(&a->b.forward), 0, 0.01);
        a->p.o_type = FLASH_BF16;
        assert_int_equal(run_forward(a, narrow_o), FLASH_OK);
        for (size_t n = 0; n < a->numbers[O]->size; n++)
            assert_int_equal(bits[O][n], to_bf16(a->numbers[O]->data[n]));
    }
}

/* Without a target, and where the step does not support the problem, flash2_simd
 * or split_kv_simd runs. */
static void check_bf16_entry(const entry *e)
{
    for (size_t t = 0; t < TARGETS_OF_BF16; t++)
        for (size_t turned = 0; turned < 2; turned++) {
            uint16_t *bits[4];
            flash_case a;

            make_case(&a, &e->p);
            for (size_t k = Q; k <= O; k++) {
                bits[k] = malloc((a.numbers[k]->size + 1) * sizeof *bits[k]);
                for (size_t n = 0; n < a.numbers[k]->size; n++) {
                    float *x = &a.numbers[k]->data[n];

                    bits[k][n] = to_bf16(*x);
                    *x = from_bf16(bits[k][n]);
                }
            }
            if (turned)
                turn(&a);
            setenv("FLASH2_TILES", bf16_targets[t], 1);
            expect_bf16(&a, bits);
            unsetenv("FLASH2_TILES");
            for (size_t k = Q; k <= O; k++)
                free(bits[k]);
            backward_free(&a.b);
        }
}

static void check_entry(const void *row)
{
    const entry *e = row;
    flash_case a;

    if (e->p.type == FLASH_BF16) {
        check_bf16_entry(e);
        return;
    }
    make_case(&a, &e->p);
    expect_right(&a);
    turn(&a);
    expect_right(&a);
    backward_free(&a.b);
}

/* The unknown target of FLASH2_TILES is an error only if flash2_amx runs. */
TEST(FLASH2_TILES_forces_a_step_that_supports_the_problem)
{
    const struct {
        flash_problem p;
        int result;
    } rows[] = {
        {{BF16_SIZES(1, 2, 1, 17, 41, 24, 40)}, FLASH_INVALID},
        {{BF16_SIZES(1, 2, 1, 17, 41, 256, 256)}, FLASH_INVALID},
        {{BF16_SIZES(1, 2, 1, 16, 41, 24, 40)}, FLASH_OK},
        {{BF16_SIZES(1, 2, 1, 17, 41, 257, 40)}, FLASH_OK},
        {{BF16_SIZES(1, 2, 1, 17, 41, 24, 40), .softcap = 1}, FLASH_OK},
        {{SIZES(1, 2, 1, 17, 41, 24, 40)}, FLASH_OK},
    };

    setenv("FLASH2_TILES", "abacus", 1);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        flash_case a;

        make_case(&a, &rows[k].p);
        assert_int_equal(run_forward(&a, a.seen[O]), rows[k].result);
        backward_free(&a.b);
    }
    unsetenv("FLASH2_TILES");
}

TEST(gradients_of_bf16_are_refused)
{
    char text[FLASH_TEXT];
    flash_case a;
    const flash_array *x = a.seen;

    make_case(&a, &(flash_problem){SIZES(1, 1, 1, 2, 2, 2, 2)});
    for (int wrong_type = 0; wrong_type < 2; wrong_type++) {
        a.p.type = wrong_type ? FLASH_BF16 : FLASH_FP32;
        a.p.o_type = wrong_type ? FLASH_FP32 : FLASH_BF16;
        assert_int_equal(
            flash_backward(&a.p, (flash_inputs){x[Q], x[K], x[V]}, x[O], x[L],
                           x[DO], (flash_inputs){x[DQ], x[DK], x[DV]}, text),
            FLASH_INVALID);
        assert_string_equal(text, wrong_type
                                      ? "type must be FLASH_FP32 for gradients"
                                      : "o_type must be FLASH_FP32 for "
                                        "gradients");
    }
    backward_free(&a.b);
}

TEST(a_nan_in_bf16_stays_in_its_row)
{
    enum { N = 40 };
    uint16_t q[N] = {0}, v[N], o[N];
    const flash_problem p = {SIZES(1, 1, 1, N, N, 1, 1), .type = FLASH_BF16,
                             .o_type = FLASH_BF16, .causal = 1};

    for (size_t n = 0; n < N; n++)
        v[n] = to_bf16(3);
    q[5] = v[N - 1] = to_bf16(NAN); /* only the last query sees this value */
    for (size_t t = 0; t < TARGETS_OF_BF16; t++) {
        setenv("FLASH2_TILES", bf16_targets[t], 1);
        assert_int_equal(flash_forward(&p, (flash_array){.data = q},
                                       (flash_array){.data = v},
                                       (flash_array){.data = v},
                                       (flash_array){.data = o},
                                       (flash_array){.data = NULL}, NULL),
                         FLASH_OK);
        for (size_t n = 0; n < N; n++)
            assert_true(n == 5 || n == N - 1 ? isnan(from_bf16(o[n]))
                                             : o[n] == v[0]);
    }
    unsetenv("FLASH2_TILES");
}

/* --- Invalid arguments ---------------------------------------------------- */

static void refused(flash_problem p, const char *why)
{
    float x[64] = {0};
    flash_array a = {.data = x}, none = {.data = p.Nk == 2 ? x : NULL};
    char text[FLASH_TEXT];

    assert_int_equal(flash_forward(&p, a, none, a, a, a, text), FLASH_INVALID);
    assert_string_equal(text, why);
    assert_int_equal(flash_forward(&p, a, none, a, a, a, NULL), FLASH_INVALID);
}

TEST(the_message_names_the_invalid_argument)
{
    const flash_problem good = {SIZES(1, 1, 1, 2, 2, 2, 2)};
    flash_problem p = good;

    refused((p.size = 8, p), "size is not sizeof(flash_problem)");
    refused((p = good, p.Hq = 3, p.Hk = 2, p), "Hq is not a multiple of Hk");
    refused((p = good, p.Hk = 0, p), "Hq is not a multiple of Hk");
    refused((p = good, p.d = 0, p), "d and dv must be 1 or more");
    refused((p = good, p.scale = NAN, p), "scale is not a finite number");
    refused((p = good, p.softcap = -1, p),
            "softcap is not a finite number, 0 or more");
    refused((p = good, p.threads = -1, p), "threads is negative");
    refused((p = good, p.type = 2, p),
            "type is neither FLASH_FP32 nor FLASH_BF16");
    refused((p = good, p.o_type = 2, p),
            "o_type is neither FLASH_FP32 nor FLASH_BF16");
    refused((p = good, p.B = SIZE_MAX / 2, p), "q is larger than memory");
    refused((p = good, p.Nk = 3, p), "k has no data");
}

/* --- Concurrent callers --------------------------------------------------- */

static void *call_often(void *job)
{
    void *wrong = NULL;
    flash_case a;

    make_case(&a, job);
    for (size_t again = 0; again < 5; again++)
        if (run_forward(&a, a.seen[O]) || run_forward(&a, a.seen[DO]) ||
            memcmp(a.b.forward.O.data, a.b.dO.data,
                   a.b.dO.size * sizeof(float)) != 0)
            wrong = job;
    backward_free(&a.b);
    return wrong;
}

TEST(eight_concurrent_callers_are_independent)
{
    flash_problem p = {SIZES(1, 4, 2, 65, 70, 16, 24), .threads = 2};
    pthread_t callers[8];
    void *wrong;

    for (size_t n = 0; n < 8; n++)
        assert_int_equal(pthread_create(&callers[n], NULL, call_often, &p), 0);
    for (size_t n = 0; n < 8; n++) {
        assert_int_equal(pthread_join(callers[n], &wrong), 0);
        assert_null(wrong);
    }
}

/* --- Forked processes ----------------------------------------------------- */

/* True if the calls return the same O again, and right gradients. Any bits are
 * numbers in bf16. */
static bool repeats(flash_case *a)
{
    const flash_array *x = a->seen;

    if (run_forward(a, x[DQ]) ||
        memcmp(x[DQ].data, x[O].data, a->numbers[O]->size * sizeof(float)))
        return false;
    return a->p.type == FLASH_BF16 ||
           (flash_backward(&a->p, (flash_inputs){x[Q], x[K], x[V]}, x[O], x[L],
                           x[DO], (flash_inputs){x[DQ], x[DK], x[DV]},
                           NULL) == FLASH_OK &&
            worst_gradient_error(problem_gradient_errors(&a->b)) <= tolerance);
}

/* The child would wait forever for threads that only its parent has. */
static void check_forked(flash_problem p)
{
    flash_case a;
    int status;

    make_case(&a, &p);
    assert_int_equal(run_forward(&a, a.seen[O]), FLASH_OK);
    assert_true(repeats(&a));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        _exit(repeats(&a) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    backward_free(&a.b);
}

TEST(a_forked_process_can_call)
{
    check_forked((flash_problem){SIZES(2, 4, 2, 65, 70, 16, 16), .threads = 4});
    check_forked((flash_problem){SIZES(1, 4, 2, 3, 2070, 64, 64)});
    setenv("FLASH2_TILES", "model", 1);
    check_forked((flash_problem){BF16_SIZES(1, 2, 2, 70, 70, 16, 16)});
    unsetenv("FLASH2_TILES");
}

int main(void)
{
    static const entry entries[] = {
        {"any_sizes_and_strides", {SIZES(2, 4, 2, 37, 41, 24, 40)}},
        {SAME_TEST, {SIZES(1, 8, 1, 3, 2070, 64, 64), .threads = 1}},
        {"no_query_or_no_key", {SIZES(2, 2, 1, 0, 5, 4, 4)}},
        {SAME_TEST, {SIZES(2, 2, 1, 5, 0, 4, 4)}},
        {"rules_are_kept",
         {SIZES(1, 2, 1, 37, 41, 24, 40), .causal = 1, .softcap = 2}},
        {SAME_TEST,
         {SIZES(1, 2, 1, 41, 37, 24, 40), .window = 7, .scale = -0.1f}},
        {"bf16_on_tiles", {BF16_SIZES(2, 4, 2, 37, 41, 24, 40), .causal = 1}},
        {SAME_TEST,
         {BF16_SIZES(1, 3, 3, 70, 130, 64, 64), .window = 50, .threads = 1}},
        {"bf16_with_a_negative_scale",
         {BF16_SIZES(1, 2, 1, 37, 41, 24, 40), .scale = -0.3f}},
        {"bf16_in_fp32", {BF16_SIZES(1, 2, 1, 37, 41, 24, 40), .softcap = 2}},
        {SAME_TEST, {BF16_SIZES(1, 2, 2, 16, 41, 24, 40)}},
        {SAME_TEST, {BF16_SIZES(1, 2, 1, 37, 41, 300, 40)}},
        {"bf16_without_queries_or_keys", {BF16_SIZES(1, 2, 1, 0, 41, 3, 4)}},
        {SAME_TEST, {BF16_SIZES(1, 2, 1, 37, 0, 3, 4)}},
    };

    return run_table("libflash", check_entry, entries);
}
