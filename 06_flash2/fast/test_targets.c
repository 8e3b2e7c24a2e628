/*
 * The fast steps on every target that this program has and this CPU runs, not
 * only on the one that they would take. docs/cpu_speed.md
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "06_flash2/fast/fast_steps.h"
#include "common/testing/contract/attention_contract.h"

/* Kernels of one head, and every step on every target. A part of the keys has
 * no query blocks, and the tiles of few queries end where the keys do. */
#define X(target)                                                              \
    static int lanes_##target(const head *h, memory *mem)                      \
    {                                                                          \
        layer one = layer_of(h);                                               \
                                                                               \
        return attend_blocks(&flash2_lanes_##target, &one, mem);               \
    }                                                                          \
    static int simd_##target(const head *h, memory *mem)                       \
    {                                                                          \
        layer one = layer_of(h);                                               \
                                                                               \
        return attend_blocks(&flash2_simd_##target, &one, mem);                \
    }                                                                          \
    static int split_##target(const head *h, memory *mem)                      \
    {                                                                          \
        layer one = layer_of(h);                                               \
                                                                               \
        return attend_parts(split_kv_simd_##target, &one, mem);                \
    }
TARGETS
#undef X

#define STEP(name_, run_)                                                      \
    {                                                                          \
        .name = name_, .run = run_                                             \
    }
#define X(target)                                                              \
    STEP("flash2_lanes on " #target, lanes_##target),                          \
        STEP("flash2_simd on " #target, simd_##target),                        \
        STEP("split_kv_simd on " #target, split_##target),
static const attention_step on_targets[] = {TARGETS};
#undef X

#define COUNT (sizeof on_targets / sizeof on_targets[0])

/* Every step of this CPU's targets on one case. */
static void check_on_all(attention_case *c)
{
    for (size_t k = 0; k < COUNT; k++) {
        attention_subject subject = {.step = &on_targets[k]};

        if (target_runs(k / (COUNT / target_count())))
            check_case(&subject, c);
    }
    case_free(c);
}

/* --- What the contract's problems are too small for ----------------------- */

/* Many parts of the keys, merged: some without a key to attend to. */
static void many_keys_are_right(void **state)
{
    const size_t Nk[] = {1023, 2063, 2064, 2065, 5000};

    (void)state;
    for (size_t n = 0; n < sizeof Nk / sizeof Nk[0]; n++) {
        attention_case c = case_of(3, Nk[n], 7, 5);
        attention_case causal = case_of(3, Nk[n], 33, 20);

        case_random(&c, n);
        check_on_all(&c);
        case_random(&causal, n);
        case_causal(&causal, (long)Nk[n] / 2);
        check_on_all(&causal);
    }
}

/* The maximum comes in the last part, and in the first. */
static void scores_may_rise_and_fall_over_many_keys(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        attention_case c = case_of_scores(2, 4000, 3);

        for (size_t j = 0; j < 4000; j++)
            case_score(&c, j, (float)sign * (float)j / 64);
        check_on_all(&c);
    }
}

static void a_nan_in_a_late_part_is_seen(void **state)
{
    attention_case c = case_of(2, 3000, 5, 4);

    (void)state;
    case_random(&c, 1);
    k_of(&c, 2500)[2] = NAN;
    check_on_all(&c);
}

/* After a peak every small weight is rounded in the same direction, in O and
 * not in l. In one sum of 64 terms that came to 3.5 times what the contract
 * allows; a sum in two halves, or of tiles of 16, keeps within twice. */
static void small_weights_beside_a_peak_are_not_lost(void **state)
{
    (void)state;
    for (float peak = 12; peak < 18; peak += 0.0625f) {
        attention_case c = case_of_scores(1, 64, 1);

        fill(c.h.K.hbm, 0);
        case_score(&c, 0, peak);
        case_same_values(&c, 1.5f);
        for (size_t k = 0; k < COUNT; k++) {
            attention_subject subject = {.step = &on_targets[k]};

            if (!target_runs(k / (COUNT / target_count())))
                continue;
            case_expect(&c, &subject);
            c.O_tolerance *= 2;
            check_as_expected(&subject, &c);
        }
        case_free(&c);
    }
}

/* Wide enough for vectors of columns; and none, where L alone can tell. */
static void a_nan_beyond_a_limit_stays_out_of_wide_rows(void **state)
{
    const size_t dv[] = {0, 16, 40, 128};

    (void)state;
    for (size_t n = 0; n < sizeof dv / sizeof dv[0]; n++)
        for (size_t j = 0; j < 80; j += 13) {
            attention_case c = case_of(80, 80, 17, dv[n]);

            case_random(&c, j);
            case_causal(&c, 0);
            k_of(&c, j)[3] = j % 2 ? NAN : INFINITY;
            if (dv[n] > 0)
                v_of(&c, 79 - j)[dv[n] / 2] = NAN;
            check_on_all(&c);
        }
}

/* --- Choosing a target ---------------------------------------------------- */

static void some_target_runs(void **state)
{
    char message[160];

    (void)state;
    assert_true(choose_target(message) < target_count());
}

static void one_that_is_not_there_is_refused_by_name(void **state)
{
    const char *was = getenv("FLASH2_TARGET");
    char *kept = was ? strdup(was) : NULL, message[160] = "";

    (void)state;
    setenv("FLASH2_TARGET", "abacus", 1);
    assert_int_equal(choose_target(message), target_count());
    assert_non_null(strstr(message, "FLASH2_TARGET: no target abacus here ("));
    setenv("FLASH2_TARGET", "\x1b[2J", 1);
    assert_int_equal(choose_target(message), target_count());
    assert_non_null(strstr(message, "no target \\x1b[2J here ("));
    if (kept)
        setenv("FLASH2_TARGET", kept, 1);
    else
        unsetenv("FLASH2_TARGET");
    free(kept);
}

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(many_keys_are_right),
        cmocka_unit_test(scores_may_rise_and_fall_over_many_keys),
        cmocka_unit_test(a_nan_in_a_late_part_is_seen),
        cmocka_unit_test(small_weights_beside_a_peak_are_not_lost),
        cmocka_unit_test(a_nan_beyond_a_limit_stays_out_of_wide_rows),
        cmocka_unit_test(some_target_runs),
        cmocka_unit_test(one_that_is_not_there_is_refused_by_name),
    };
    attention_step here[COUNT + 1] = {{0}};
    size_t n = 0;

    for (size_t t = 0; t < target_count(); t++)
        if (target_runs(t))
            for (size_t k = 0; k < COUNT / target_count(); k++)
                here[n++] = on_targets[t * (COUNT / target_count()) + k];
    return run_attention_tests("targets", here, NULL, own,
                               sizeof own / sizeof own[0]);
}
