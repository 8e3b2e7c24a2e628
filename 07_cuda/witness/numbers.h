/* Numbers of 16 and 8 bits: bf16, fp16 and e4m3, to fp32 and back. */
#pragma once
#include <cmath>
#include <cstring>

#include "07_cuda/witness/machine.h"

inline float float_of(u32 bits)
{
    float f;
    std::memcpy(&f, &bits, 4);
    return f;
}
inline u32 bits_of(float f)
{
    u32 bits;
    std::memcpy(&bits, &f, 4);
    return bits;
}

inline float from_bf16(u16 x)
{
    return float_of((u32)x << 16);
}
float from_fp16(u16 x);
float from_e4m3(u8 x);

/* To nearest, ties to even. */
u16 to_bf16(float f);
u16 to_fp16(float f);
u8 to_e4m3(float f); /* what is too large becomes 448 */
