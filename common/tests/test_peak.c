/* Tests that the measured loops do all their work. */
#include "common/speed/peak.h"

#include "common/testing/run_tests.h"

#define X(target) &peak_loops_##target,
static const peak_loops *const loops[] = {TARGETS};
#undef X

/* The sum of n floats of 1 is exact. n rounds add 2^-30 to their sums, n flops
 * / 2 times in all, which is exact for fewer than 2^24 additions. */
TEST(every_float_is_read_and_every_multiply_add_done)
{
    static float x[3003];

    for (size_t i = 0; i < 3003; i++)
        x[i] = 1;
    for (size_t t = 0; t < target_count(); t++)
        for (size_t n = 0; target_runs(t) && n <= 3003; n += n < 300 ? 1 : 39) {
            float products = (float)(n % 100 * (loops[t]->flops / 2));

            assert_true(loops[t]->sum(x, n) == (float)n);
            assert_true(loops[t]->multiply_add(n % 100) == products * 0x1p-30f);
        }
}

/* The lower bounds also hold under valgrind. No core reaches the upper
 * bounds. */
TEST(measured_peaks_are_plausible)
{
    static float x[100003];

    assert_true(peak_flops(1) > 1e6 && peak_flops(1) < 1e12);
    assert_true(peak_flops(2) > 1e6);
    assert_true(peak_read(2, x, 100003) > 1e5);
    assert_true(peak_read(2, x, 100003) < 1e13);
    assert_true(peak_flops(0) == 0 && peak_read(0, x, 100003) == 0);
}
