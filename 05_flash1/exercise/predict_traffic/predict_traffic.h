/*
 * Exercise 05: predict how much crosses HBM; the test counts it.
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
 * Returns how many elements flash1 of 05_flash1/flash1.c reads from HBM and
 * writes there, for a head that is not causal, in tiles of Br queries and Bc
 * keys (each at least 1). In its order:
 *
 *   O, m and l of all queries are initialised in HBM
 *   for each tile of keys: K and V are loaded; and for each tile of queries: Q,
 *   O, m and l are loaded, and O, m and l are stored
 *   at the end m and l are loaded to compute L, and L is stored
 *
 * The test walks through these loops with memory.h and counts.
 */
hbm_traffic predict_traffic(size_t Nq, size_t Nk, size_t d, size_t dv,
                            size_t Br, size_t Bc);

#endif
