/*
 * The probes do the work that they are timed for. How fast a machine is no test
 * can know.
 */
#include <stdlib.h>

#include "common/speed/peak.h"
#include "common/testing/run_tests.h"

#define N 100003 /* a multiple of no vector */

#define X(target) &peak_loops_##target,
static const peak_loops *const loops[] = {TARGETS};
#undef X

/* Every float is read, once: integers have exact sums. */
static void every_float_is_read_once(void **state)
{
    float *x = malloc(N * sizeof *x);

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
    for (size_t t = 0; t < target_count(); t++)
        if (target_runs(t))
            for (size_t n = 0; n < 100; n += 33)
                assert_true(loops[t]->multiply_add(n) ==
                            (float)(n * (loops[t]->flops / 2)) * 0x1p-30f);
}

/* Between what valgrind is left with and what no core has. */
static void a_core_has_a_peak(void **state)
{
    double peak = peak_flops(1);

    assert_true(peak > 1e6);
    assert_true(peak < 1e12);
    assert_true(peak_flops(2) > 1e6);
    assert_true(peak_flops(0) == 0);
}

static void reading_has_a_speed(void **state)
{
    float *x = calloc(N, sizeof *x);
    double speed;

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
        cmocka_unit_test(a_core_has_a_peak),
        cmocka_unit_test(reading_has_a_speed),
    };

    return run_tests("peak", tests);
}
