/*
 * e^x for the fast steps: the numbers, and why these. lanes.h has the code for
 * one query, simd.h for a vector of them. Both are within 4 * 2^-24 of e^s 2^-m
 * where a weight counts, but for a factor that a row's weights share.
 *
 *     e^s = e^f 2^k     k = round(s / ln 2), f = s - k ln 2
 *
 * k goes into the exponent field of a float, and e^f is a polynomial of f on
 * [-ln 2 / 2, ln 2 / 2]. The running maximum m is kept rounded to an integer
 * in base 2, so that e^s 2^-m only changes k, and a rescale by 2^{m - m'} is
 * exact. The scores themselves stay as they are: taken times log2(e) at once,
 * as is often done, each would be rounded, by 2^-24 |s|, and so would e^s.
 *
 * docs/cpu_speed.md
 */
#ifndef FLASH2_BASE2_H
#define FLASH2_BASE2_H

#ifdef __FAST_MATH__
#error "-ffast-math breaks NaN, and cancels (x + rounder) - rounder"
#endif

/* x + rounder has no bits left for a fraction: x is rounded to an integer,
 * which is in the low bits of the sum. For |x| < 2^22. */
static const float rounder = 0x1.8p23f;

/* Beyond it k has too few bits left; such a block is left to flash2. */
static const float most_m = 0x1p15f;

static const float log2_e = 0x1.715476p0f;

/* ln 2 = ln2 + ln2_rest. ln2 has 9 bits, which leaves 15 for k: k ln2 is exact
 * whether or not the compiler makes a fused multiply-add of it. What is still
 * missing of ln 2, 2^-38, costs k times that: the same for all weights that
 * count, so that O does not see it. */
static const float ln2 = 0x1.63p-1f, ln2_rest = -0x1.bd0106p-13f;

/* e^f = 1 + f + e2 f^2 + ... + e5 f^5, at most 1.8 * 2^-24 off (Remez). */
static const float e2 = 0x1.fffdfap-2f, e3 = 0x1.5557b0p-3f,
                   e4 = 0x1.572adap-5f, e5 = 0x1.10621ep-7f;

/* The bits of sqrt(1/2): ln x is taken of an x from there to sqrt(2). */
static const int sqrt_half = 0x3f3504f3;

#endif
