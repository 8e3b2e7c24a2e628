/*
 * The constants with which lanes.h and simd.h compute e^x. A weight is
 * e^s 2^-m. If it is not negligible, its relative error is at most 4 * 2^-24,
 * apart from a factor that all weights of a row share.
 *
 *     e^s = e^f 2^k     k = round(s / ln 2), f = s - k ln 2
 *
 * 2^k is made in the exponent field of a float, and e^f is a polynomial of f on
 * [-ln 2 / 2, ln 2 / 2]. The running maximum m is in base 2: it is the largest
 * score / ln 2, rounded to an integer. So the factor 2^-m only changes k, and a
 * rescale by 2^{m - m'} is exact.
 *
 * Scores are not multiplied by log2(e) first. The rounding of the product would
 * give e^s a relative error of up to 2^-24 |s|.
 * docs/cpu_speed.md
 */
#ifndef FLASH2_BASE2_H
#define FLASH2_BASE2_H

/* x + rounder has no bits for a fraction, so the addition rounds x to an
 * integer in the low bits of the sum. |x| must be below 2^22. */
static const float rounder = 0x1.8p23f;

/* The limit of |m|, which limits |k| to 2^15 + 127. */
static const float most_m = 0x1p15f;

static const float log2_e = 0x1.715476p0f;

/* ln 2 = ln2 + ln2_rest. ln2 = 355 / 512 and 355 |k| < 2^24, so k ln2 is exact,
 * with or without a fused multiply-add. The sum is wrong by less than 2^-39, or
 * 2^-28 as one float (simd.h). So a weight has a relative error of |k| times as
 * much. This error is nearly equal for all weights that are not negligible, and
 * cancels in O. */
static const float ln2 = 0x1.63p-1f, ln2_rest = -0x1.bd0106p-13f;

/* e^f is about 1 + f + e2 f^2 + ... + e5 f^5, with coefficients of the Remez
 * algorithm. The relative error is at most 1.8 * 2^-24. */
static const float e2 = 0x1.fffdfap-2f, e3 = 0x1.5557b0p-3f,
                   e4 = 0x1.572adap-5f, e5 = 0x1.10621ep-7f;

/* The bits of sqrt(1/2) as a float, for log_over (simd.h). */
static const int sqrt_half = 0x3f3504f3;

#endif
