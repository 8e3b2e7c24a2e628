/* test_numbers.cu: tests of rounding to 16 bits and e4m3, and of exponentials
 * with and without CUDA_ON_CPU_ROUND=hardware. Page: docs/cuda_on_cpu.md. */
#include "07_cuda/ptx/ptx_hopper.h"
#include "tools/emulator/cuda_on_cpu/settings.h"
#include "tools/emulator/cuda_on_cpu/tests/check.h"

/* A float halfway between two neighbouring codes must become the even one. The
 * next floats on both sides must become the nearest one. */
template <class Code>
static void check_nearest_even(int largest, Code (*to)(float),
                               float (*from)(Code))
{
    const int sign = 1 << (8 * sizeof(Code) - 1);
    for (int code = 0; code < largest; code++) {
        double sum = (double)from((Code)code) + from((Code)(code + 1));
        float half = (float)(sum / 2);
        CHECK_EQUAL(to(half), code + code % 2);
        CHECK_EQUAL(to(nextafterf(half, 0)), code);
        CHECK_EQUAL(to(nextafterf(half, HUGE_VALF)), code + 1);
        CHECK_EQUAL(to(-half), sign + code + code % 2);
    }
}

TEST(numbers_between_two_codes_are_rounded_to_nearest_even)
{
    check_nearest_even(0x7f7f, emu::to_bf16, emu::from_bf16);
    check_nearest_even(0x7bff, emu::to_fp16, emu::from_fp16);
    check_nearest_even(126, emu::to_e4m3, emu::from_e4m3);
    CHECK(isinf(__bfloat162float(__float2bfloat16(3.4e38f))));
    CHECK(isnan(__bfloat162float(__float2bfloat16(NAN))));
    CHECK(isinf(__half2float(__float2half(65520.0f))));
    CHECK(isnan(__half2float(__float2half(NAN))));
}

TEST(larger_numbers_become_448_and_nan_stays_nan)
{
    for (float x : {449.f, 464.f, 480.f, 1e30f, HUGE_VALF}) {
        CHECK_EQUAL(emu::to_e4m3(x), 126);
        CHECK_EQUAL(emu::to_e4m3(-x), 254);
    }
    CHECK_EQUAL(emu::to_e4m3(NAN), 127);
    CHECK_EQUAL(emu::to_e4m3(-NAN), 127);
    CHECK_EQUAL(emu::to_e4m3(0x1p-11f), 0);
    CHECK_EQUAL(emu::to_e4m3(-1e-40f), 128);
    CHECK_EQUAL(emu::to_e4m3(-0.f), 128);
}

TEST(four_numbers_are_packed_lowest_byte_first)
{
    CHECK_EQUAL(pack_e4m3x4(1, -2, 448, 0), 0x007ec038u);
}

/* Returns the number of floats from the correctly rounded 2^x to y. */
static int steps_from(float y, float x)
{
    return __float_as_int(y) - __float_as_int((float)exp2((double)x));
}

TEST(exponentials_differ_by_two_ulp_in_both_directions)
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

/* If the row max does not change, the sums are multiplied by 2^0. */
TEST(two_to_the_power_of_zero_is_one)
{
    emu::like_hardware = true;
    for (float x : {0.f, -0.f, 1e-40f, -1e-40f})
        CHECK(exp2_approx(x) == 1);
    CHECK(__expf(0.f) == 1);
}

TEST(exponentials_of_infinity_nan_and_very_small_numbers)
{
    emu::like_hardware = true;
    CHECK(exp2_approx(-HUGE_VALF) == 0);
    CHECK(isinf(exp2_approx(HUGE_VALF)));
    CHECK(isnan(exp2_approx(NAN)));
    CHECK(exp2_approx(-130) == 0); /* .ftz flushes to zero */
    CHECK(__expf(-90.f) > 0);
}

TEST(without_the_setting_exponentials_are_those_of_the_library)
{
    emu::like_hardware = false;
    for (float x = -140; x < 20; x += 0.37f) {
        CHECK(exp2_approx(x) == exp2f(x));
        CHECK(__expf(x) == expf(x));
    }
}

int main()
{
    return run_tests("test_numbers");
}
