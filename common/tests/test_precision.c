/*
 * Compares rounding to fp16 and bf16 with its definition, for all 65536 bit
 * patterns and every value halfway between two neighbours.
 */
#include "common/precision.h"
#include "common/testing/run_tests.h"

#include <math.h>

typedef struct {
    uint16_t (*to)(float);
    float (*from)(uint16_t);
    int exponent_bits, fraction_bits;
} narrow_type;

static const narrow_type types[] = {{to_bf16, from_bf16, 8, 7},
                                    {to_fp16, from_fp16, 5, 10}};
static const narrow_type *const types_end = types + 2;

static uint32_t infinity(const narrow_type *t)
{
    return (1u << (t->exponent_bits + t->fraction_bits)) -
           (1u << t->fraction_bits);
}

/* For the bits of infinity, returns the power of two after the largest
 * number. */
static double value_of(const narrow_type *t, uint32_t bits)
{
    int bias = (1 << (t->exponent_bits - 1)) - 1;
    int exponent = (int)(bits >> t->fraction_bits);
    uint32_t one = 1u << t->fraction_bits, fraction = bits & (one - 1);

    if (exponent > 0)
        fraction |= one;
    else
        exponent = 1;
    return ldexp(fraction, exponent - bias - t->fraction_bits);
}

static void assert_rounds(const narrow_type *t, float x, uint32_t want)
{
    for (uint32_t sign = 0; sign <= 0x8000; sign += 0x8000)
        if (t->to(sign ? -x : x) != (want | sign))
            fail_msg("%.17g: got %04x, want %04x",
                     sign ? -(double)x : (double)x, t->to(sign ? -x : x),
                     want | sign);
}

static void assert_same(float got, float want)
{
    if (bits_of(got) != bits_of(want))
        fail_msg("got %.9g, want %.9g", (double)got, (double)want);
}

/* A value halfway between two neighbours rounds to the even one; values below
 * and above it round to the nearer one. The last pair of fp16 is 65504 and
 * infinity. Its halfway point is that of 65504 and 65536; the pattern of
 * infinity is even. */
TEST(every_number_is_rounded_to_the_nearest)
{
    for (const narrow_type *t = types; t < types_end; t++) {
        for (uint32_t b = 0; b < infinity(t); b++) {
            float middle = (float)((value_of(t, b) + value_of(t, b + 1)) / 2);

            assert_same(t->from((uint16_t)b), (float)value_of(t, b));
            assert_same(t->from((uint16_t)(b | 0x8000)),
                        -(float)value_of(t, b));
            assert_rounds(t, t->from((uint16_t)b), b);
            assert_rounds(t, middle, b + (b & 1));
            assert_rounds(t, nextafterf(middle, 0), b);
            assert_rounds(t, nextafterf(middle, INFINITY), b + 1);
        }
        assert_same(t->from((uint16_t)infinity(t)), INFINITY);
        assert_same(t->from((uint16_t)(infinity(t) | 0x8000)), -INFINITY);
        assert_rounds(t, INFINITY, infinity(t));
        assert_rounds(t, FLT_MAX, infinity(t));
        assert_rounds(t, 0x1p-149f, 0);
    }
    for (float x = 65536; x < 0x1p20f; x *= 1.01f)
        assert_rounds(types + 1, x, 0x7c00);
}

/* Tests a NaN for each bit of the payload, including signalling NaNs, and each
 * 16-bit pattern of a NaN. */
TEST(a_nan_becomes_a_quiet_nan_with_the_same_sign)
{
    for (const narrow_type *t = types; t < types_end; t++) {
        uint32_t bit = 1u << (t->fraction_bits - 1), quiet = infinity(t) | bit;

        for (uint32_t sign = 0; sign < 2; sign++)
            for (int k = 0; k < 23; k++) {
                float x = float_of(sign << 31 | 0x7f800000 | 1u << k);

                assert_int_equal(t->to(x) & quiet, quiet);
                assert_int_equal(t->to(x) >> 15, sign);
            }
        for (uint32_t b = infinity(t) + 1; b <= 0x7fff; b++) {
            assert_true(isnan(t->from((uint16_t)b)));
            assert_rounds(t, t->from((uint16_t)b), b | bit);
        }
    }
}

TEST(round_to_rounds_to_the_type_and_keeps_the_bits_of_fp32)
{
    static const struct {
        precision type;
        const char *name;
        float million, tenth;
    } want[] = {{FP32, "fp32", 1e6f, 0.1f},
                {BF16, "bf16", 999424, 0x1.9ap-4f},
                {FP16, "fp16", INFINITY, 0x1.998p-4f}};
    static const uint32_t kept[] = {0x80000000, 0x00000001, 0x3f800001,
                                    0x7f7fffff, 0x7fc12345, 0xff800000};

    for (size_t k = 0; k < 3; k++) {
        assert_same(round_to(want[k].type, 1e6f), want[k].million);
        assert_same(round_to(want[k].type, 0.1f), want[k].tenth);
        assert_string_equal(precision_name(want[k].type), want[k].name);
    }
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        assert_same(round_to(FP32, float_of(kept[k])), float_of(kept[k]));
    for (size_t k = 0; k < 3; k++) /* no bit of this NaN may carry */
        assert_same(round_to(want[k].type, float_of(0x7fffffff)),
                    float_of(0x7fffffff));
}
