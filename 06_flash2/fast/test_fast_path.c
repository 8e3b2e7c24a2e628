/*
 * Tests the fast steps on every target that this CPU can run. A fallback to
 * flash2 is right but slow, so the tests check the number of fallbacks.
 * docs/cpu_speed.md
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "06_flash2/backward/steps.h"
#include "06_flash2/fast/fast_steps.h"
#include "06_flash2/fast/simd.h"
#include "06_flash2/steps.h"
#include "common/precision.h"
#include "common/testing/assert_close.h"
#include "common/testing/contract/attention_contract.h"

/* A step on a target. The unused pointer is NULL. */
typedef struct {
    const char *name;
    const block_kernel *blocks;
    part_kernel *parts;
} fast_kernel;

#define X(target)                                                              \
    {"flash2_lanes on " #target, &flash2_lanes_##target, NULL},                \
        {"flash2_simd on " #target, &flash2_simd_##target, NULL},              \
        {"split_kv_simd on " #target, NULL, split_kv_simd_##target},
static const fast_kernel kernels[] = {TARGETS};
#undef X

#define COUNT (sizeof kernels / sizeof kernels[0])

/* The steps that this machine can run. */
static attention_step here[COUNT + 1];

static const fast_kernel *kernel_of(const attention_step *step)
{
    size_t k = 0;

    while (strcmp(kernels[k].name, step->name) != 0)
        k++;
    return &kernels[k];
}

static int attend(const attention_step *step, const layer *l, memory *mem)
{
    const fast_kernel *k = kernel_of(step);

    return k->blocks ? attend_blocks(k->blocks, l, mem)
                     : attend_parts(k->parts, l, mem);
}

static void expect(attention_case *c)
{
    case_expect(c, here);
}

static size_t fallbacks_of(const attention_step *step, attention_case *c)
{
    case_run(c, step);
    case_check(c, step);
    return c->counts.fallbacks;
}

/* Frees the case. */
static void check_on_all(attention_case *c, size_t fallbacks)
{
    expect(c);
    for (const attention_step *s = here; s->name; s++)
        assert_int_equal(fallbacks_of(s, c), fallbacks);
    case_free(c);
}

/* --- No fallback ---------------------------------------------------------- */

enum {
    PLAIN,
    CAUSAL,
    HALF,   /* causal; a query sees no key in some parts of the keys */
    BEYOND, /* causal; the first queries see no key; scores are in thousands */
    MASKED, /* some elements of the mask are -inf */
    CAPPED,
    KINDS
};

static void set_up(attention_case *c, int kind)
{
    const long Nq = (long)c->h.Nq, Nk = (long)c->h.Nk;
    const long offset[] = {
        [CAUSAL] = Nk - Nq, [HALF] = Nk / 2, [BEYOND] = -Nq / 2};

    if (kind == CAUSAL || kind == HALF || kind == BEYOND)
        case_causal(c, offset[kind]);
    if (kind == BEYOND)
        c->h.scale = 200;
    if (kind == CAPPED)
        c->h.rule.softcap = 5;
    if (kind != MASKED)
        return;
    case_mask(c);
    for (size_t i = 0; i < c->h.Nq; i++)
        for (size_t j = i % 3; j < c->h.Nk; j += 3)
            mask_of(c, i)[j] = j % 2 ? -INFINITY : 0.5f;
}

TEST(ordinary_problems_are_not_left_to_flash2)
{
    /* Nq, Nk, d, dv. More than 2064 keys are divided into parts. */
    const size_t shapes[][4] = {{1, 1, 1, 1},      {3, 70, 7, 5},
                                {64, 64, 64, 64},  {65, 63, 33, 20},
                                {130, 200, 17, 9}, {16, 2065, 20, 3},
                                {3, 2063, 7, 5},   {3, 2064, 33, 20},
                                {2, 5000, 40, 37}, {3, 2064, 130, 20}};

    for (size_t n = 0; n < sizeof shapes / sizeof shapes[0]; n++)
        for (int kind = 0; kind < KINDS; kind++) {
            const size_t *s = shapes[n];
            bool is_large = s[0] * s[1] * (s[2] + s[3]) > 400000;

            if (is_short() && is_large)
                continue;
            attention_case c = case_of(s[0], s[1], s[2], s[3]);

            case_random(&c, n);
            set_up(&c, kind);
            check_on_all(&c, 0);
        }
}

/* All scores have the same sign, so the maximum is far from 0. A maximum of up
 * to 22,712 has at most 15 bits in base 2. */
TEST(scores_up_to_22712_are_not_left_to_flash2)
{
    const float scores[] = {-22730, -22700, -3000, 22700, 22730};

    for (size_t n = 0; n < 5; n++) {
        attention_case c = case_of_scores(1, 70, 3);

        for (size_t j = 0; j < 70; j++)
            case_score(&c, j, scores[n] - (float)(j % 7));
        check_on_all(&c, n == 0 || n == 4);
    }
}

/* If small weights are added after a large one, the sums for O and l round
 * differently. With one sum of 64 terms, the error was 3.5 times as large as
 * the contract allows. */
TEST(small_weights_next_to_a_peak_are_not_lost)
{
    for (float peak = 12; peak < 18; peak += 0.0625f) {
        auto_case c = case_of_scores(1, 64, 1);

        fill(c.h.K.hbm, 0);
        case_score(&c, 0, peak);
        case_same_values(&c, 1.5f);
        for (const attention_step *s = here; s->name; s++) {

            case_expect(&c, s);
            c.O_tolerance *= 2;
            check_runs(s, &c, six_sizes);
        }
    }
}

/* --- Fallbacks ------------------------------------------------------------ */

/* A fallback is a block of queries, or one query if the step has no blocks. */
TEST(only_a_block_or_a_query_with_a_nan_is_left_to_flash2)
{
    for (const attention_step *s = here; s->name; s++) {
        const block_kernel *blocks = kernel_of(s)->blocks;
        size_t block = blocks ? blocks->queries : 1;
        size_t Nq = block == 1 ? 33 : 5 * block;
        auto_case c = case_of(Nq, Nq, 6, 4);

        case_random(&c, Nq);
        case_causal(&c, 0);
        q_of(&c, block)[3] = NAN; /* in the first query of block 1 */
        expect(&c);
        assert_int_equal(fallbacks_of(s, &c), 1);
        q_of(&c, 0)[0] = NAN;
        expect(&c);
        assert_int_equal(fallbacks_of(s, &c), 2);
        /* Only the last query sees the last value. */
        for (size_t column = 0; column < 4; column++) {
            v_of(&c, Nq - 1)[column] = NAN;
            expect(&c);
            assert_int_equal(fallbacks_of(s, &c), 3);
            v_of(&c, Nq - 1)[column] = 1;
        }
    }
}

/* Without columns of V the NaN is only in L. */
TEST(a_nan_is_detected_in_L_and_in_the_second_part)
{
    const size_t sizes[][3] = {{5, 0, 4}, {3000, 4, 2500}}; /* Nk, dv, key */

    for (size_t n = 0; n < 2; n++) {
        attention_case c = case_of(1, sizes[n][0], 5, sizes[n][1]);

        case_random(&c, 3);
        k_of(&c, sizes[n][2])[2] = NAN;
        check_on_all(&c, 1);
    }
}

TEST(a_head_that_is_not_in_fp32_is_left_to_flash2)
{
    for (const attention_step *s = here; s->name; s++) {
        auto_case c = case_of(1, 10, 4, 4);
        precision *const narrow[] = {&c.h.P_type, &c.h.O.type, &c.h.L.type};

        case_random(&c, 1);
        for (size_t k = 0; k < 3; k++) {
            *narrow[k] = BF16;
            case_run(&c, s);
            assert_int_equal(c.counts.fallbacks, 1);
            *narrow[k] = FP32;
        }
    }
}

/* --- Powers and logarithms ------------------------------------------------ */

static float weight(float score, float m)
{
    vf s = all_lanes(score), lanes = all_lanes(m);

    exp_over(1, &s, &lanes);
    return s[0];
}

/* With a fused multiply-add simd.h uses ln 2 as one float (base2.h). Its error
 * times m is a factor that all weights share, so `want` has it, too. `more` is
 * its error times s / ln 2 - m. */
TEST(a_weight_is_within_four_roundings)
{
    const float m[] = {0, 1, -1, 17, -144, 1000, -32767, 32767};
    const double exact_ln2 = log(2);
#ifdef __FP_FAST_FMAF
    const double used_ln2 = (double)(ln2 + ln2_rest);
#else
    const double used_ln2 = exact_ln2;
#endif

    for (size_t k = 0; k < sizeof m / sizeof m[0]; k++) {
        double base = (double)m[k] * used_ln2;

        for (int i = 0; k < 6 && i < 100000; i++) {
            float s = (float)(base + 0.49 * exact_ln2 - i * 87.0 / 100000);
            double want = exp((double)s - base);
            double more =
                2 * fabs((double)s - base) * fabs(used_ln2 - exact_ln2);

            assert_close(weight(s, m[k]), want, want * (4 * 0x1p-24 + more));
        }
        assert_true(weight((float)(base - 128 * exact_ln2), m[k]) == 0);
        assert_true(weight(-INFINITY, m[k]) == 0);
        assert_true(isnan(weight(INFINITY, m[k])));
        assert_true(isnan(weight(NAN, m[k])) && isnan(weight(-NAN, m[k])));
    }
}

/* --- The steps ------------------------------------------------------------ */

/* The parts of split_kv_simd need a state in memory for each query. */
TEST(more_than_16_queries_are_passed_to_flash2_simd)
{
    const attention_step split = {.name = "split_kv_simd",
                                  .run_layer = split_kv_simd};

    for (size_t Nq = 15; Nq < 19; Nq++) {
        auto_case c = case_of(Nq, 100, 4, 3);

        case_random(&c, Nq);
        check_case(&split, &c);
        assert_int_equal(c.extra, Nq > 16 ? 0 : Nq * (3 + 3));
        assert_int_equal(c.counts.fallbacks, 0);
    }
}

/* Element k of a single row has the bits k, but NaN, infinity and very large
 * numbers are replaced by 1. */
static uint16_t *narrow(array *a, precision type)
{
    size_t n = a->hbm.rows * a->hbm.cols;
    uint16_t *bits = case_block(n, sizeof *bits);

    for (size_t k = 0; k < n; k++) {
        float *x = &a->hbm.data[k];

        if (a->hbm.rows == 1)
            *x = type == BF16 ? from_bf16((uint16_t)k) : from_fp16((uint16_t)k);
        if (!(fabsf(*x) < 0x1p126f))
            *x = 1;
        bits[k] = type == BF16 ? to_bf16(*x) : to_fp16(*x);
        *x = round_to(type, *x);
    }
    a->type = type;
    a->narrow = bits;
    return bits;
}

/* With one key, V has every number of 16 bits. With many keys, d and dv do not
 * fill the last vector. */
TEST(K_and_V_in_16_bits_have_the_results_of_floats)
{
    const size_t shapes[][4] = {{1, 1, 5, (1 << 16) + 3}, {3, 5000, 37, 23}};

    for (const attention_step *s = here; s->name; s++)
        for (size_t n = 0; n < 4 && kernel_of(s)->parts; n++) {
            const size_t *z = shapes[n / 2];
            auto_case c = case_of(z[0], z[1], z[2], z[3]);
            size_t size = z[0] * z[3] * sizeof(float);
            uint16_t *K, *V;
            float *O = case_block(1, size);

            case_random(&c, n);
            K = narrow(&c.h.K, n % 2 ? BF16 : FP16);
            V = narrow(&c.h.V, n % 2 ? BF16 : FP16);
            expect(&c);
            assert_int_equal(fallbacks_of(s, &c), 0);
            memcpy(O, c.h.O.hbm.data, size);
            c.h.K.narrow = c.h.V.narrow = NULL;
            case_run(&c, s);
            if (c.h.Nk == 1)
                assert_memory_equal(O, c.h.O.hbm.data, size);
            free(K);
            free(V);
            free(O);
        }
}

TEST(an_unknown_target_is_refused_by_name)
{
    layer_fn *const forward[] = {flash2_lanes, flash2_simd, split_kv_simd};
    const char *was = getenv("FLASH2_TARGET");
    char *kept = strdup(was ? was : ""), message[160];
    auto_case c = case_of(1, 1, 1, 1);

    assert_true(choose_target(message) < target_count());
    setenv("FLASH2_TARGET", "\x1b[2J", 1);
    assert_int_equal(choose_target(message), target_count());
    assert_non_null(strstr(message, "FLASH2_TARGET: no target \\x1b[2J here"));
    setenv("FLASH2_TARGET", "abacus", 1);
    case_backward(&c);
    c.g.h = c.h;
    for (size_t k = 0; k < 4; k++) {
        layer one = layer_of(&c.g.h);
        memory mem;

        memory_init(&mem, MEMORY_UNBOUNDED);
        assert_int_equal(k < 3 ? forward[k](NULL, &one, &mem)
                               : backward_simd(NULL, &c.g, 1, &mem),
                         MEMORY_REFUSED);
        assert_int_equal(mem.error, MEMORY_REFUSED);
        assert_non_null(strstr(mem.message, "no target abacus here"));
        assert_true(isnan(*c.g.h.O.hbm.data) && isnan(*c.g.dQ.hbm.data));
        memory_reset(&mem);
    }
    setenv("FLASH2_TARGET", kept, 1);
    free(kept);
}

int main(void)
{
    size_t n = 0;

    for (size_t k = 0; k < COUNT; k++)
        if (target_runs(k / (COUNT / target_count())))
            here[n++] =
                (attention_step){.name = kernels[k].name, .run_layer = attend};
    return run_attention_tests("targets", here, NULL);
}
