/*
 * The probes measure what they say. How fast a machine is no test can know,
 * but what is faster than any, or slower than its own plain C, is wrong.
 */
#include <stdlib.h>
#include <time.h>

#include "common/peak.h"
#include "common/peak_loops.h"
#include "common/run_tests.h"

#define N 100003 /* a multiple of no vector */

#define X(target) &peak_loops_##target,
static const peak_loops *const loops[] = {TARGETS};
#undef X

/* Every float is read, once: integers have exact sums. */
static void every_float_is_read_once(void **state)
{
    float *x = malloc(N * sizeof *x);

    (void)state;
    assert_non_null(x);
    for (size_t i = 0; i < N; i++)
        x[i] = 1;
    for (size_t t = 0; t < target_count(); t++) {
        if (!target_runs(t))
            continue;
        for (size_t n = 0; n < 300; n++)
            assert_true(loops[t]->sum(x, n) == (float)n);
        assert_true(loops[t]->sum(x, N) == N);
    }
    free(x);
}

/* n rounds add flops / 2 products of 2^-30 each; exact as long as a sum has
 * fewer than 2^24 of them. */
static void every_multiply_add_is_done(void **state)
{
    (void)state;
    for (size_t t = 0; t < target_count(); t++)
        if (target_runs(t))
            for (size_t n = 0; n < 100; n += 33)
                assert_true(loops[t]->multiply_add(n) ==
                            (float)(n * (loops[t]->flops / 2)) * 0x1p-30f);
}

/* Multiply-adds one after another, each waiting for the one before. */
static double flops_of_a_chain(void)
{
    clock_t start = clock();
    volatile float factor = 0.5f;
    float a = factor, s = 0;

    for (size_t i = 0; i < 4000000; i++)
        s = s * a + a;
    factor = s;
    return 2.0 * 4000000 * CLOCKS_PER_SEC / (double)(clock() - start + 1);
}

/* Under valgrind and the sanitizers too: both are slowed down. */
static void the_peak_is_above_a_chain_and_below_any_core(void **state)
{
    double peak = peak_flops(1);

    (void)state;
    assert_true(peak > 0);
    assert_true(peak < 1e12);
    assert_true(peak > flops_of_a_chain() / 2);
}

static void reading_has_a_speed(void **state)
{
    float *x = calloc(N, sizeof *x);
    double speed;

    (void)state;
    assert_non_null(x);
    speed = peak_read(2, x, N);
    assert_true(speed > 1e5);
    assert_true(speed < 1e13);
    assert_true(peak_read(0, x, N) == 0);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_float_is_read_once),
        cmocka_unit_test(every_multiply_add_is_done),
        cmocka_unit_test(the_peak_is_above_a_chain_and_below_any_core),
        cmocka_unit_test(reading_has_a_speed),
    };

    return run_tests("peak", tests);
}
