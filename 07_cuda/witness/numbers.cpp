/* numbers.cpp: each type of fewer bits by the same arithmetic. */
#include "07_cuda/witness/numbers.h"

#include <algorithm>

namespace
{
/* A type: its bits of fraction, the exponent of its smallest normal number. */
struct Format {
    int fraction, smallest;
};
constexpr Format FP16 = {10, -14}, E4M3 = {3, -6};

float decode(Format f, int exponent, int fraction)
{
    double m = std::ldexp(fraction, -f.fraction);

    return (float)(exponent ? std::ldexp(1 + m, exponent + f.smallest - 1)
                            : std::ldexp(m, f.smallest));
}

/* |x| as an integer, whose order is that of the numbers: its exponent above
 * its fraction. What is rounded up may carry into the exponent. */
int encode(Format f, double x)
{
    int e;

    if (x == 0)
        return 0;
    std::frexp(x, &e); /* x = m 2^e with m in [0.5, 1) */
    e = std::max(e - 1, f.smallest);
    int steps = (int)std::nearbyint(std::ldexp(x, f.fraction - e));
    return ((e - f.smallest) << f.fraction) + steps;
}

struct Tables {
    float fp16[1 << 16], e4m3[1 << 8];

    Tables()
    {
        for (int x = 0; x < 1 << 16; x++) {
            int e = x >> 10 & 31;
            float a = e < 31     ? decode(FP16, e, x & 1023)
                      : x & 1023 ? NAN
                                 : INFINITY;
            fp16[x] = x >> 15 ? -a : a;
        }
        for (int x = 0; x < 1 << 8; x++) {
            float a = (x & 127) == 127 ? NAN : decode(E4M3, x >> 3 & 15, x & 7);
            e4m3[x] = x >> 7 ? -a : a;
        }
    }
};
const Tables tables;
} // namespace

float from_fp16(u16 x)
{
    return tables.fp16[x];
}

float from_e4m3(u8 x)
{
    return tables.e4m3[x];
}

u16 to_bf16(float f)
{
    u32 x = bits_of(f);

    return std::isnan(f) ? 0x7fff : (u16)((x + 0x7fff + (x >> 16 & 1)) >> 16);
}

u16 to_fp16(float f)
{
    int sign = std::signbit(f) ? 0x8000 : 0;

    if (std::isnan(f))
        return 0x7fff;
    if (std::isinf(f))
        return (u16)(sign | 0x7c00);
    return (u16)(sign | std::min(encode(FP16, std::fabs((double)f)), 0x7c00));
}

u8 to_e4m3(float f)
{
    int sign = std::signbit(f) ? 0x80 : 0;

    if (std::isnan(f))
        return 0x7f;
    if (std::fabs(f) > 448)
        return (u8)(sign | 0x7e);
    return (u8)(sign | encode(E4M3, std::fabs((double)f)));
}
