/*
 * Functions of flash2_lanes for one lane. They have no branches, so a compiler
 * can vectorise a loop over lanes that calls them. docs/cpu_speed.md
 */
#ifndef FLASH2_LANES_H
#define FLASH2_LANES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "06_flash2/fast/base2.h"

enum { QUERIES = 64, KEYS = 64, ROWS = 4 };

/* One number for each query of a block. */
typedef float lanes[QUERIES];

/* Returns the larger number, or b if either is NaN. fmaxf would ignore a NaN,
 * and gcc for x86 does not vectorise it. */
static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static inline float round_log2(float x)
{
    return (x * log2_e + rounder) - rounder;
}

/* Returns 2^e. The low bits of sum are e + 127, the exponent field of 2^e. */
static inline float power_from(float sum)
{
    uint32_t bits;

    memcpy(&bits, &sum, sizeof bits);
    bits <<= 23;
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

/* Returns 2^k for an integer k <= 0, or 0 if k < -126. */
static inline float power_of_2(float k)
{
    return power_from(larger(-127, k) + (rounder + 127));
}

/* Returns e^s 2^-m for an integer m >= s / ln 2 - 1/2. The result is at most
 * sqrt(2). It is 0 if e^s 2^-m is below 2^-126.5, and NaN if s is NaN. */
static inline float exp_over(float s, float m)
{
    float to_exponent = (rounder + 127) - m, sum, k, f, p;

    s = larger((m - 127) * (ln2 + ln2_rest), s);
    sum = s * log2_e + to_exponent;
    k = sum - to_exponent;
    f = s - k * ln2 - k * ln2_rest;
    p = (((e5 * f + e4) * f + e3) * f + e2) * f + 1;
    p = p * f + 1;
    return p * power_from(sum);
}

#endif
