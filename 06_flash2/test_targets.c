/*
 * The fast steps on every target that this program has and this CPU runs, not
 * only on the one that they would take. docs/06_flash2.md
 */
#include <stdlib.h>
#include <string.h>

#include "06_flash2/fast_steps.h"
#include "common/attention_contract.h"

/* Kernels of one head, and every step on every target. A part of the keys has
 * no query blocks, and the tiles of few queries end where the keys do. */
#define X(target)                                                              \
    static int lanes_##target(const head *h, memory *mem)                      \
    {                                                                          \
        return attend_blocks(&flash2_lanes_##target, h, 1, mem);               \
    }                                                                          \
    static int simd_##target(const head *h, memory *mem)                       \
    {                                                                          \
        return attend_blocks(&flash2_simd_##target, h, 1, mem);                \
    }                                                                          \
    static int split_##target(const head *h, memory *mem)                      \
    {                                                                          \
        return attend_parts(split_kv_simd_##target, h, 1, mem);                \
    }
TARGETS
#undef X

#define STEP(name, run)                                                        \
    {                                                                          \
        name, FP32, "", run, NULL, NULL, NULL                                  \
    }
#define X(target)                                                              \
    STEP("flash2_lanes on " #target, lanes_##target),                          \
        STEP("flash2_simd on " #target, simd_##target),                        \
        STEP("split_kv_simd on " #target, split_##target),
static const attention_step on_targets[] = {TARGETS};
#undef X

#define COUNT (sizeof on_targets / sizeof on_targets[0])

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
    if (kept)
        setenv("FLASH2_TARGET", kept, 1);
    else
        unsetenv("FLASH2_TARGET");
    free(kept);
}

int main(void)
{
    const struct CMUnitTest own[] = {
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
