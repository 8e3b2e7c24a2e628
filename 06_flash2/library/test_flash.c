/*
 * The library's outputs and gradients against float64, through any strides; what
 * it refuses; and that callers at the same time do not see one another.
 */
#include "06_flash2/library/flash.h"

#include <math.h>
#include <string.h>

#include "common/judge/reference.h"
#include "common/judge/reference_attention.h"
#include "common/problem/random.h"
#include "common/testing/assert_close.h"
#include "common/testing/claims.h"
#include "common/threads.h"

/* --- Problems -------------------------------------------------------------- */

/* What is not said is 0. */
#define PROBLEM(b, hq, hk, nq, nk, columns, values, ...)                       \
    {                                                                          \
        .size = sizeof(flash_problem), .B = b, .Hq = hq, .Hk = hk, .Nq = nq,   \
        .Nk = nk, .d = columns, .dv = values, __VA_ARGS__                      \
    }

static flash_array dense(float *x)
{
    return (flash_array){.data = x};
}

typedef struct {
    const char *claim;
    flash_problem p;
    bool by_rows; /* the arrays lie as (B, N, H, columns) */
} entry;

enum { ARRAYS = 9 };
typedef enum { Q, K, V, O, L, DO, DQ, DK, DV } which;

/* Each array without gaps, (B, H, N, columns), and as the library gets it. */
typedef struct {
    const entry *e;
    size_t H[ARRAYS], N[ARRAYS], cols[ARRAYS];
    float *dense[ARRAYS], *laid[ARRAYS];
    flash_array array[ARRAYS];
} problem;

static size_t size_of(const problem *a, which w)
{
    return a->e->p.B * a->H[w] * a->N[w] * a->cols[w];
}

/* Element nth of the dense array, in the other. */
static float *place(const problem *a, which w, size_t nth)
{
    size_t c = nth % a->cols[w], i = nth / a->cols[w] % a->N[w];
    size_t h = nth / a->cols[w] / a->N[w] % a->H[w];
    size_t b = nth / a->cols[w] / a->N[w] / a->H[w];

    if (!a->e->by_rows)
        return a->laid[w] + nth;
    return a->laid[w] + ((b * a->N[w] + i) * a->H[w] + h) * a->cols[w] + c;
}

static void lay_out(problem *a, which w, size_t H, size_t N, size_t cols,
                    random_source *r)
{
    a->H[w] = H;
    a->N[w] = N;
    a->cols[w] = cols;
    a->dense[w] = malloc((size_of(a, w) + 1) * sizeof(float));
    a->laid[w] = malloc((size_of(a, w) + 1) * sizeof(float));
    assert_true(a->dense[w] && a->laid[w]);
    random_fill(r, a->dense[w], size_of(a, w), 1);
    for (size_t n = 0; n < size_of(a, w); n++)
        *place(a, w, n) = a->dense[w][n];
    a->array[w] = dense(a->laid[w]);
    if (a->e->by_rows)
        a->array[w] = (flash_array){a->laid[w], (ptrdiff_t)(N * H * cols),
                                    (ptrdiff_t)cols, (ptrdiff_t)(H * cols), 1};
}

static problem problem_of(const entry *e)
{
    const flash_problem *p = &e->p;
    random_source r = random_seed(34);
    problem a = {.e = e};

    lay_out(&a, Q, p->Hq, p->Nq, p->d, &r);
    lay_out(&a, K, p->Hk, p->Nk, p->d, &r);
    lay_out(&a, V, p->Hk, p->Nk, p->dv, &r);
    lay_out(&a, O, p->Hq, p->Nq, p->dv, &r);
    lay_out(&a, L, p->Hq, p->Nq, 1, &r);
    lay_out(&a, DO, p->Hq, p->Nq, p->dv, &r);
    lay_out(&a, DQ, p->Hq, p->Nq, p->d, &r);
    lay_out(&a, DK, p->Hk, p->Nk, p->d, &r);
    lay_out(&a, DV, p->Hk, p->Nk, p->dv, &r);
    return a;
}

static void problem_free(problem *a)
{
    for (size_t w = 0; w < ARRAYS; w++) {
        free(a->dense[w]);
        free(a->laid[w]);
    }
}

static array nth_of(const problem *a, which w, size_t nth)
{
    size_t n = a->N[w] * a->cols[w];

    return hbm_of(a->dense[w] + nth * n, a->N[w], a->cols[w]);
}

/* Query head nth as the oracle takes it. */
static gradients oracles(const problem *a, size_t nth)
{
    const flash_problem *p = &a->e->p;
    size_t group = p->Hq / p->Hk, kv = nth / group;

    return (gradients){
        .h = {.Nq = p->Nq,
              .Nk = p->Nk,
              .d = p->d,
              .dv = p->dv,
              .Q = nth_of(a, Q, nth),
              .K = nth_of(a, K, kv),
              .V = nth_of(a, V, kv),
              .scale = p->scale != 0 ? p->scale : 1 / sqrtf((float)p->d),
              .rule = {.causal = p->causal,
                       .window = p->window,
                       .offset = (long)p->Nk - (long)p->Nq,
                       .softcap = p->softcap}},
        .dO = nth_of(a, DO, nth),
        .add = nth % group != 0,
    };
}

/* --- Outputs and gradients ------------------------------------------------- */

/* What came, taken out of where it lies; not what was there before. */
static void take(const problem *a, which w)
{
    for (size_t n = 0; n < size_of(a, w); n++)
        a->dense[w][n] = *place(a, w, n);
}

static void check_near(const problem *a, which w, size_t first, size_t n,
                       const double *want)
{
    double error = relative_error(a->dense[w] + first, want, n);

    assert_close(error, 0, 2e-5);
}

static void forward_is_right(problem *a)
{
    size_t n = a->e->p.Nq * a->e->p.dv, Nq = a->e->p.Nq;
    double *o = malloc((n + 1) * sizeof *o);
    double *lse = malloc((Nq + 1) * sizeof *lse);
    char text[FLASH_TEXT];

    assert_true(o && lse);
    assert_int_equal(flash_forward(&a->e->p, a->array[Q], a->array[K],
                                   a->array[V], a->array[O], a->array[L], text),
                     FLASH_OK);
    take(a, O);
    take(a, L);
    for (size_t nth = 0; nth < a->e->p.B * a->e->p.Hq; nth++) {
        gradients g = oracles(a, nth);

        assert_int_equal(reference_attention(&g.h, o, lse), 0);
        check_near(a, O, nth * n, n, o);
        check_near(a, L, nth * Nq, Nq, lse);
    }
    free(o);
    free(lse);
}

static void backward_is_right(problem *a)
{
    const flash_problem *p = &a->e->p;
    size_t nq = p->Nq * p->d, nk = p->Nk * p->d, nv = p->Nk * p->dv;
    double *dq = calloc(nq + nk + nv + 1, sizeof *dq);
    double *dk = dq + nq, *dv = dk + nk;
    char text[FLASH_TEXT];

    assert_non_null(dq);
    assert_int_equal(
        flash_backward(p, (flash_inputs){a->array[Q], a->array[K], a->array[V]},
                       a->array[O], a->array[L], a->array[DO],
                       (flash_inputs){a->array[DQ], a->array[DK], a->array[DV]},
                       text),
        FLASH_OK);
    take(a, DQ);
    take(a, DK);
    take(a, DV);
    for (size_t nth = 0; nth < p->B * p->Hq; nth++) {
        gradients g = oracles(a, nth);
        size_t group = p->Hq / p->Hk;

        assert_true(reference_gradients(&g, dq, dk, dv) >= 0);
        check_near(a, DQ, nth * nq, nq, dq);
        if (nth % group == group - 1) {
            check_near(a, DK, nth / group * nk, nk, dk);
            check_near(a, DV, nth / group * nv, nv, dv);
        }
    }
    free(dq);
}

static void check_entry(const void *row)
{
    problem a = problem_of(row);

    forward_is_right(&a);
    backward_is_right(&a);
    problem_free(&a);
}

/* --- Decoding -------------------------------------------------------------- */

static void caches_may_be_filled_unevenly(void **state)
{
    const entry e = {.p = PROBLEM(3, 4, 2, 2, 70, 16, 24, .causal = 1)};
    const size_t keys[] = {70, 0, 33};
    problem a = problem_of(&e);

    assert_int_equal(flash_decode(&e.p, keys, a.array[Q], a.array[K],
                                  a.array[V], a.array[O], a.array[L], NULL),
                     FLASH_OK);
    take(&a, O);
    for (size_t nth = 0; nth < 12; nth++) {
        gradients g = oracles(&a, nth);
        double o[2 * 24];

        g.h.Nk = keys[nth / 4];
        g.h.rule.offset = (long)g.h.Nk - 2;
        assert_int_equal(reference_attention(&g.h, o, NULL), 0);
        check_near(&a, O, nth * 48, 48, o);
    }
    problem_free(&a);
}

/* --- What is refused ------------------------------------------------------- */

static void refused(flash_problem p, const char *why)
{
    float x[64] = {0};
    flash_array a = dense(x);
    char text[FLASH_TEXT];

    assert_int_equal(flash_forward(&p, a, a, a, a, a, text), FLASH_INVALID);
    assert_string_equal(text, why);
    assert_int_equal(flash_forward(&p, a, a, a, a, a, NULL), FLASH_INVALID);
}

static void what_does_not_fit_is_named(void **state)
{
    const flash_problem good = PROBLEM(1, 1, 1, 2, 2, 2, 2, .threads = 0);
    flash_problem p = good;

    refused((p.size = 8, p), "size is not sizeof(flash_problem)");
    refused((p = good, p.Hq = 3, p.Hk = 2, p), "Hq is not a multiple of Hk");
    refused((p = good, p.Hk = 0, p), "Hq is not a multiple of Hk");
    refused((p = good, p.d = 0, p), "d and dv are 1 or more");
    refused((p = good, p.scale = NAN, p), "scale is not a finite number");
    refused((p = good, p.softcap = -1, p),
            "softcap is not a finite number, 0 or more");
    refused((p = good, p.softcap = NAN, p),
            "softcap is not a finite number, 0 or more");
    refused((p = good, p.threads = -1, p), "threads is negative");
    refused((p = good, p.kv_type = 1, p), "kv_type is not FLASH_FP32");
    refused((p = good, p.B = SIZE_MAX / 2, p),
            "the sizes are larger than memory");
}

static void an_array_without_data_is_named(void **state)
{
    const flash_problem p = PROBLEM(1, 1, 1, 2, 2, 2, 2, .threads = 0);
    float x[4] = {0};
    char text[FLASH_TEXT];

    assert_int_equal(flash_forward(&p, dense(x), dense(NULL), dense(x),
                                   dense(x), dense(NULL), text),
                     FLASH_INVALID);
    assert_string_equal(text, "k has no data");
}

/* --- Many callers ---------------------------------------------------------- */

static int call_once(const void *job, size_t i, memory *mem)
{
    problem a = problem_of(job);
    float *first = malloc((size_of(&a, O) + 1) * sizeof *first);
    size_t n = size_of(&a, O);

    for (size_t again = 0; again < 5 && first; again++) {
        if (flash_forward(&a.e->p, a.array[Q], a.array[K], a.array[V],
                          a.array[O], a.array[L], NULL) != FLASH_OK ||
            (again && memcmp(first, a.laid[O], n * sizeof *first) != 0))
            mem->error = MEMORY_FULL;
        memcpy(first, a.laid[O], n * sizeof *first);
    }
    free(first);
    problem_free(&a);
    return mem->error;
}

static void eight_callers_do_not_see_one_another(void **state)
{
    const entry e = {.p = PROBLEM(1, 4, 2, 65, 70, 16, 24, .threads = 2)};
    size_t before = thread_count();
    memory mem;

    memory_init(&mem, MEMORY_UNBOUNDED);
    use_threads(8);
    assert_int_equal(run_on_threads(call_once, &e, 8, &mem), MEMORY_OK);
    use_threads(before);
}

int main(void)
{
#define SIZES(...)                                                             \
    {                                                                          \
        sizeof(flash_problem), __VA_ARGS__                                     \
    }
    static const entry entries[] = {
        {"any_sizes_and_groups_of_heads",
         PROBLEM(2, 4, 2, 37, 41, 24, 40, .threads = 0), false},
        {SAME_CLAIM, PROBLEM(1, 1, 1, 1, 1, 1, 1, .threads = 0), false},
        {SAME_CLAIM, PROBLEM(1, 8, 1, 3, 2070, 64, 64, .threads = 0), false},
        {SAME_CLAIM, PROBLEM(1, 2, 2, 130, 130, 64, 64, .threads = 1), false},
        {"no_query_or_no_key", PROBLEM(2, 2, 1, 0, 5, 4, 4, .threads = 0),
         false},
        {SAME_CLAIM, PROBLEM(2, 2, 1, 5, 0, 4, 4, .threads = 0), false},
        {"rules_are_kept", PROBLEM(1, 2, 1, 37, 41, 24, 40, .causal = 1),
         false},
        {SAME_CLAIM, PROBLEM(1, 2, 1, 41, 37, 24, 40, .causal = 1), false},
        {SAME_CLAIM, PROBLEM(1, 2, 1, 37, 41, 24, 40, .window = 7), false},
        {SAME_CLAIM, PROBLEM(1, 2, 1, 37, 41, 24, 40, .softcap = 2), false},
        {SAME_CLAIM, PROBLEM(1, 2, 1, 37, 41, 24, 40, .scale = -0.1f), false},
        {"heads_may_lie_between_rows",
         PROBLEM(2, 4, 2, 37, 41, 24, 40, .threads = 0), true},
        {SAME_CLAIM, PROBLEM(1, 2, 1, 9, 2070, 8, 8, .causal = 1), true},
    };
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_may_be_filled_unevenly),
        cmocka_unit_test(what_does_not_fit_is_named),
        cmocka_unit_test(an_array_without_data_is_named),
        cmocka_unit_test(eight_callers_do_not_see_one_another),
    };

    return run_claims_and_tests("libflash", check_entry, entries, tests);
}
