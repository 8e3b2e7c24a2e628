/*
 * The fast steps do their work themselves. What they leave to flash2 is right
 * too, only slow: so no comparison of outputs can tell, and each time that it
 * happens is counted. docs/cpu_speed.md
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "06_flash2/fast/fast_steps.h"
#include "06_flash2/fast/simd.h"
#include "06_flash2/steps.h"
#include "common/testing/assert_close.h"
#include "common/testing/contract/attention_contract.h"
#include "common/testing/layer_case.h"
#include "common/threads.h"

/* Each on every target: what the test of the targets has, for all heads. */
typedef struct {
    const char *name;
    const block_kernel *blocks; /* or a kernel of parts of the keys */
    part_kernel *parts;
} fast_kernel;

#define X(target)                                                              \
    {"flash2_lanes on " #target, &flash2_lanes_##target, NULL},                \
        {"flash2_simd on " #target, &flash2_simd_##target, NULL},              \
        {"split_kv_simd on " #target, NULL, split_kv_simd_##target},
static const fast_kernel kernels[] = {TARGETS};
#undef X

#define COUNT (sizeof kernels / sizeof kernels[0])

static int attend(const fast_kernel *k, const layer *l, memory *mem)
{
    return k->blocks ? attend_blocks(k->blocks, l, mem)
                     : attend_parts(k->parts, l, mem);
}

static const fast_kernel *kernel_here(size_t k)
{
    return target_runs(k / (COUNT / target_count())) ? &kernels[k] : NULL;
}

/* Runs n heads at once, checks each, and returns how many were left. */
static size_t check_heads(const fast_kernel *k, attention_case cases[],
                          size_t n)
{
    const attention_step step = {.name = k->name, .type = FP32};
    const attention_subject subject = {.step = &step};
    layer_case together;
    memory mem;

    for (size_t c = 0; c < n; c++) {
        case_expect(&cases[c], &subject);
        fill(cases[c].h.O.hbm, NAN);
        fill(cases[c].h.L.hbm, NAN);
    }
    together = layer_of_cases(cases, n, 1);
    memory_init(&mem, MEMORY_UNBOUNDED);
    assert_int_equal(attend(k, &together.l, &mem), MEMORY_OK);
    layer_to_cases(&together, cases);
    memory_reset(&mem);
    for (size_t c = 0; c < n; c++)
        case_check(&cases[c], &subject);
    return mem.counts.fallbacks;
}

/* --- What they do themselves ---------------------------------------------- */

typedef struct {
    size_t Nq, Nk, d, dv;
} shape;

static const shape shapes[] = {
    {1, 1, 1, 1},      {3, 70, 7, 5},     {64, 64, 64, 64}, {65, 63, 33, 20},
    {130, 200, 17, 9}, {16, 2065, 20, 3}, {2, 4500, 40, 37}};
#define SHAPES (sizeof shapes / sizeof shapes[0])

/* Kind 0: plain; 1: causal; 2: with a mask, some of it -inf; 3: a softcap. */
static attention_case ordinary(shape s, int kind, uint64_t seed)
{
    attention_case c = case_of(s.Nq, s.Nk, s.d, s.dv);

    case_random(&c, seed);
    if (kind == 1)
        case_causal(&c, (long)s.Nk - (long)s.Nq);
    if (kind == 2)
        case_mask(&c);
    for (size_t i = 0; kind == 2 && i < s.Nq; i++)
        for (size_t j = i % 3; j < s.Nk; j += 3)
            mask_of(&c, i)[j] = j % 2 ? -INFINITY : 0.5f;
    if (kind == 3)
        c.h.softcap = 5;
    return c;
}

/* Several heads: one must not be taken for another. */
static void ordinary_problems_are_not_left_to_flash2(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++)
        for (int kind = 0; kind < 4; kind++) {
            attention_case c[3];

            for (size_t n = 0; n < 3; n++)
                c[n] = ordinary(shapes[s], kind, 10 * s + n);
            for (size_t k = 0; k < COUNT; k++)
                if (kernel_here(k))
                    assert_int_equal(check_heads(kernel_here(k), c, 3), 0);
            for (size_t n = 0; n < 3; n++)
                case_free(&c[n]);
        }
}

static void nor_are_rows_of_nothing_and_scores_of_thousands(void **state)
{
    attention_case c = case_of(70, 90, 5, 3);

    (void)state;
    case_random(&c, 1);
    case_causal(&c, -40); /* the first queries see no key */
    c.h.scale = 200;
    for (size_t k = 0; k < COUNT; k++)
        if (kernel_here(k))
            assert_int_equal(check_heads(kernel_here(k), &c, 1), 0);
    case_free(&c);
}

/* All of one sign, so that no maximum is near the one to begin with. Up to
 * 22,713 it has 15 bits in base 2; what is beyond is left. */
static void nor_are_scores_that_are_far_from_0_but_not_too_far(void **state)
{
    const float scores[] = {-22730, -22700, -3000, 22700, 22730};

    (void)state;
    for (size_t n = 0; n < 5; n++) {
        attention_case c = case_of_scores(1, 70, 3);

        for (size_t j = 0; j < 70; j++)
            case_score(&c, j, scores[n] - (float)(j % 7));
        for (size_t k = 0; k < COUNT; k++)
            if (kernel_here(k))
                assert_int_equal(check_heads(kernel_here(k), &c, 1),
                                 n == 0 || n == 4);
        case_free(&c);
    }
}

/* --- What they leave ------------------------------------------------------ */

/* A block of queries, or a query where there are no blocks. */
static void only_what_has_a_nan_is_left(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT; k++) {
        const fast_kernel *kernel = kernel_here(k);
        size_t block = kernel && kernel->blocks ? kernel->blocks->queries : 1;
        size_t Nq = block == 1 ? 33 : 5 * block;
        attention_case c = case_of(Nq, Nq, 6, 4);

        if (kernel) {
            case_random(&c, k);
            case_causal(&c, 0);
            q_of(&c, block)[3] = NAN; /* the first of the second block */
            assert_int_equal(check_heads(kernel, &c, 1), 1);
            q_of(&c, 0)[0] = NAN;
            assert_int_equal(check_heads(kernel, &c, 1), 2);
            /* in one column of the last value, seen by the last query alone */
            for (size_t column = 0; column < 4; column++) {
                v_of(&c, Nq - 1)[column] = NAN;
                assert_int_equal(check_heads(kernel, &c, 1), 3);
                v_of(&c, Nq - 1)[column] = 1;
            }
        }
        case_free(&c);
    }
}

/* Where V has no columns, L alone tells. */
static void a_nan_is_seen_without_values_too(void **state)
{
    attention_case c = case_of(1, 5, 2, 0);

    (void)state;
    case_random(&c, 3);
    k_of(&c, 4)[0] = NAN;
    for (size_t k = 0; k < COUNT; k++)
        if (kernel_here(k))
            assert_int_equal(check_heads(kernel_here(k), &c, 1), 1);
    case_free(&c);
}

/* They would store fp32 where another type was asked for. */
static void all_that_is_not_fp32_is_left(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT; k++)
        for (int which = 0; which < 3 && kernel_here(k); which++) {
            attention_case c = case_of(1, 10, 4, 4);
            layer one;
            memory mem;

            case_random(&c, k);
            if (which == 0)
                c.h.P = BF16;
            if (which == 1)
                c.h.O.type = FP16;
            if (which == 2)
                c.h.L.type = BF16;
            one = layer_of(&c.h);
            memory_init(&mem, MEMORY_UNBOUNDED);
            assert_int_equal(attend(&kernels[k], &one, &mem), MEMORY_OK);
            memory_reset(&mem);
            assert_int_equal(mem.counts.fallbacks, 1);
            case_free(&c);
        }
}

/* What is left may have left anything in l: its logarithm is taken, too, and
 * overflows nothing (make sanitize). */
static void a_logarithm_is_right_or_of_anything(void **state)
{
    (void)state;
    for (uint32_t high = 0; high < 1 << 16; high++) {
        uint32_t bits = high << 16 | 1;
        volatile float got; /* computed, whether it is looked at or not */
        float l;

        memcpy(&l, &bits, sizeof l);
        got = log_over(all_lanes(l), all_lanes(3))[0];
        if (l > 0 && isnormal(l))
            assert_close(got, log((double)l) + 3 * log(2), 0x1p-22 * 90);
    }
}

/* --- The steps ------------------------------------------------------------ */

static const char *const steps[] = {"flash2_lanes", "flash2_simd",
                                    "split_kv_simd"};

static const attention_step *step_named(const char *name)
{
    for (const attention_step *s = chapter_06_steps; s->name; s++)
        if (strcmp(s->name, name) == 0)
            return s;
    fail_msg("there is no step %s", name);
    return NULL;
}

/* split_kv_simd is for few queries; its parts need a state in memory. */
static void more_than_16_queries_are_flash2_simds(void **state)
{
    (void)state;
    for (size_t Nq = 15; Nq < 19; Nq++) {
        attention_subject s = {.step = step_named("split_kv_simd")};
        attention_case c = case_of(Nq, 100, 4, 3);

        case_random(&c, Nq);
        check_case(&s, &c);
        assert_int_equal(c.extra, Nq > 16 ? 0 : Nq * (3 + 3));
        assert_int_equal(c.counts.fallbacks, 0);
        case_free(&c);
    }
}

static void a_target_that_is_not_there_is_refused_by_each_step(void **state)
{
    const char *was = getenv("FLASH2_TARGET");
    char *kept = was ? strdup(was) : NULL;

    (void)state;
    setenv("FLASH2_TARGET", "abacus", 1);
    for (size_t k = 0; k < 3; k++) {
        attention_case c = case_of(1, 1, 1, 1);
        memory mem;

        case_random(&c, k);
        memory_init(&mem, MEMORY_UNBOUNDED);
        assert_int_equal(step_named(steps[k])->run(&c.h, &mem), MEMORY_REFUSED);
        assert_int_equal(mem.error, MEMORY_REFUSED);
        assert_non_null(strstr(mem.message, "no target abacus here"));
        assert_true(isnan(*c.h.O.hbm.data));
        memory_reset(&mem);
        case_free(&c);
    }
    if (kept)
        setenv("FLASH2_TARGET", kept, 1);
    else
        unsetenv("FLASH2_TARGET");
    free(kept);
}

/* --- No memory, in a thread ----------------------------------------------- */

/* More numbers in a query than any machine has; but for its own tiles no step
 * would look at it. */
static attention_case too_wide(void)
{
    attention_case c = case_of(1, 1, 1, 1);

    c.h.d = (size_t)-1 / 3;
    return c;
}

static void a_thread_without_memory_fails_the_step(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT; k++)
        for (size_t threads = 1; threads <= 3 && kernel_here(k); threads++) {
            attention_case c = too_wide();
            layer three = {1, 3, 1, 1, 1, false, c.h};
            memory mem;

            use_threads(threads);
            memory_init(&mem, MEMORY_UNBOUNDED);
            assert_int_equal(attend(&kernels[k], &three, &mem), MEMORY_FULL);
            assert_int_equal(mem.error, MEMORY_FULL);
            assert_non_null(strstr(mem.message, "out of memory for an array"));
            assert_true(isnan(*c.h.O.hbm.data));
            memory_reset(&mem);
            case_free(&c);
        }
}

static void what_failed_first_is_what_is_said(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT; k++) {
        attention_case c;
        layer one;
        memory mem;

        if (!kernel_here(k))
            continue;
        c = too_wide();
        one = layer_of(&c.h);
        memory_init(&mem, MEMORY_UNBOUNDED);
        mem.error = MEMORY_REFUSED;
        strcpy(mem.message, "before");
        assert_int_equal(attend(&kernels[k], &one, &mem), MEMORY_REFUSED);
        assert_string_equal(mem.message, "before");
        one.each.d = 1;
        assert_int_equal(attend(&kernels[k], &one, &mem), MEMORY_REFUSED);
        by_flash2(&c.h, &mem);
        assert_int_equal(mem.error, MEMORY_REFUSED);
        assert_string_equal(mem.message, "before");
        case_free(&c);
    }
}

static void flash2_without_memory_in_their_place_fails_too(void **state)
{
    attention_case c = too_wide();
    memory mem;

    (void)state;
    memory_init(&mem, MEMORY_UNBOUNDED);
    by_flash2(&c.h, &mem);
    assert_int_equal(mem.error, MEMORY_FULL);
    assert_non_null(strstr(mem.message, "out of memory for an array"));
    assert_int_equal(mem.counts.fallbacks, 1);
    case_free(&c);
}

static void no_heads_are_no_work(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT; k++) {
        layer none = {0};
        memory mem;

        memory_init(&mem, MEMORY_UNBOUNDED);
        assert_int_equal(attend(&kernels[k], &none, &mem), MEMORY_OK);
        assert_int_equal(mem.extra, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_problems_are_not_left_to_flash2),
        cmocka_unit_test(nor_are_rows_of_nothing_and_scores_of_thousands),
        cmocka_unit_test(nor_are_scores_that_are_far_from_0_but_not_too_far),
        cmocka_unit_test(only_what_has_a_nan_is_left),
        cmocka_unit_test(a_nan_is_seen_without_values_too),
        cmocka_unit_test(all_that_is_not_fp32_is_left),
        cmocka_unit_test(a_logarithm_is_right_or_of_anything),
        cmocka_unit_test(more_than_16_queries_are_flash2_simds),
        cmocka_unit_test(a_target_that_is_not_there_is_refused_by_each_step),
        cmocka_unit_test(a_thread_without_memory_fails_the_step),
        cmocka_unit_test(what_failed_first_is_what_is_said),
        cmocka_unit_test(flash2_without_memory_in_their_place_fails_too),
        cmocka_unit_test(no_heads_are_no_work),
    };

    return run_tests("fast_path", tests);
}
