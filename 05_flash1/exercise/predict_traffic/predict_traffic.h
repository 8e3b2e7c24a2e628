/*
 * Exercise 05: how much crosses HBM? Predicted, then counted.
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
 * What flash1 of 05_flash1/flash1.c reads from HBM and writes there, for a head
 * that is not causal, in tiles of Br queries and Bc keys (each at least 1).
 * In its order:
 *
 *   O, m and l of all queries are given their first values
 *   for each tile of keys: K and V come; and for each tile of queries: Q, O, m
 *   and l come, and O, m and l go back
 *   in the end m and l come for L, and L goes
 *
 * The test walks through these loops with memory.h and counts.
 */
hbm_traffic predict_traffic(size_t Nq, size_t Nk, size_t d, size_t dv,
                            size_t Br, size_t Bc);

#endif
