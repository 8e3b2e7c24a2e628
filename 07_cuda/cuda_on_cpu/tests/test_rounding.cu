/* test_rounding.cu: what CUDA_ON_CPU_ROUND=hardware does to exponentials, and
 * that nothing is done to them without it. Page: docs/cuda_on_cpu.md. */
#include "07_cuda/ptx/ptx.h"
#include "07_cuda/cuda_on_cpu/settings.h"
#include "07_cuda/cuda_on_cpu/tests/check.h"

/* From y to 2^x, correctly rounded, in steps from one float to the next. */
static int steps_from(float y, float x)
{
    return __float_as_int(y) - __float_as_int((float)exp2((double)x));
}

TEST(exponentials_are_two_steps_off_both_ways)
{
    int up = 0, down = 0;

    emu::like_hardware = true;
    for (float x = -125.9f; x < 20; x += 0.37f) {
        int steps = steps_from(exp2_approx(x), x);
        CHECK(steps == 2 || steps == -2);
        up += steps > 0;
        down += steps < 0;
        CHECK_EQUAL(__float_as_uint(exp2_approx(x)),
                    __float_as_uint(exp2_approx(x)));
    }
    CHECK(up > 100 && down > 100);
}

/* A maximum that stays must not rescale what has been summed. */
TEST(two_to_the_power_of_nothing_is_one)
{
    emu::like_hardware = true;
    for (float x : {0.f, -0.f, 1e-40f, -1e-40f})
        CHECK(exp2_approx(x) == 1);
    CHECK(__expf(0.f) == 1);
}

TEST(what_is_infinite_or_too_small_or_no_number)
{
    emu::like_hardware = true;
    CHECK(exp2_approx(-HUGE_VALF) == 0);
    CHECK(isinf(exp2_approx(HUGE_VALF)));
    CHECK(isnan(exp2_approx(NAN)));
    CHECK(exp2_approx(-130) == 0); /* .ftz */
    CHECK(__expf(-90.f) > 0);
}

TEST(without_the_setting_they_are_the_librarys)
{
    emu::like_hardware = false;
    for (float x = -140; x < 20; x += 0.37f) {
        CHECK(exp2_approx(x) == exp2f(x));
        CHECK(__expf(x) == expf(x));
    }
}

int main()
{
    return run_tests("test_rounding");
}
