/*
 * Exercise 05: predict the HBM traffic of flash1; the test counts it.
 *
 * docs/05_flash1.md; the next hint: make hint-05 E=predict_traffic
 */
#ifndef PREDICT_TRAFFIC_H
#define PREDICT_TRAFFIC_H

#include <stddef.h>

typedef struct {
    size_t read, written; /* elements, not bytes */
} hbm_traffic;

/*
 * Returns the numbers of elements that flash1 (05_flash1/flash1.c) reads from
 * HBM and writes to HBM. The head is not causal. A tile has Br >= 1 queries or
 * Bc >= 1 keys. flash1 runs these steps in this order:
 *
 *   initialise O, m and l of all queries in HBM
 *   for each tile of keys: load K and V; then for each tile of queries load Q,
 *   O, m and l, and store O, m and l
 *   load m and l to compute L, and store L
 *
 * The test runs these loops with memory.h, which counts the elements.
 */
hbm_traffic predict_traffic(size_t Nq, size_t Nk, size_t d, size_t dv,
                            size_t Br, size_t Bc);

#endif
