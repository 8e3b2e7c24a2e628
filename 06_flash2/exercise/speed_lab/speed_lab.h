/*
 * Exercise 06: a quarter of flash2_lanes' speed, in plain C.
 *
 * docs/cpu_speed.md; the next hint: make hint-06 E=speed_lab
 */
#ifndef SPEED_LAB_H
#define SPEED_LAB_H

#include <stddef.h>

enum { QUERIES_HERE = 64, MOST_D = 64 };

/*
 * Stores O = softmax(scale Q K^T) V for 64 queries and n >= 1 keys. Q and O are
 * 64 x d, K and V are n x d, all row-major, with d <= MOST_D. No score is
 * masked. The tests run speed_lab and flash2_lanes in turn on one thread, and
 * compare their best times. Both are compiled with the same flags (-O3 for this
 * CPU).
 */
void speed_lab(const float *Q, const float *K, const float *V, float *O,
               size_t n, size_t d, float scale);

#endif
