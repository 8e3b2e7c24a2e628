/*
 * What a step is charged for. HBM traffic is counted in elements, not bytes,
 * and booked by purpose, so that each account can be compared with its formula:
 *
 *   ALGORITHM  what the paper's formula for the step counts
 *   INIT       setting O, l, m and gradients in HBM to their first values
 *   LSE        the logsumexp, where the formula does not count it already
 *   MASK       reading an additive mask, or Q for a softcap's slope alone
 *   SINK       merging a sink into what a step came to
 */
#ifndef COMMON_COUNTS_H
#define COMMON_COUNTS_H

#include <stddef.h>

typedef enum { ALGORITHM, INIT, LSE, MASK, SINK, ACCOUNTS } account;

typedef struct {
    size_t read[ACCOUNTS], written[ACCOUNTS]; /* elements that crossed HBM */
    size_t exps;                              /* exponentials */
    size_t rescales;  /* multiplications of old l and O by a factor */
    size_t divisions; /* divisions (or multiplications) by a row sum */
    size_t fallbacks; /* times that a fast step left work to flash2 */
} counts;

/* Elements read and written, of the algorithm's account. */
static inline size_t counts_moved(counts c)
{
    return c.read[ALGORITHM] + c.written[ALGORITHM];
}

/* Those of all accounts: all that crosses HBM. */
static inline size_t counts_crossed(counts c)
{
    size_t sum = 0;

    for (size_t b = 0; b < ACCOUNTS; b++)
        sum += c.read[b] + c.written[b];
    return sum;
}

/* total += more, field by field: the sum over heads or over threads. */
static inline void counts_add(counts *total, const counts *more)
{
    for (size_t b = 0; b < ACCOUNTS; b++) {
        total->read[b] += more->read[b];
        total->written[b] += more->written[b];
    }
    total->exps += more->exps;
    total->rescales += more->rescales;
    total->divisions += more->divisions;
    total->fallbacks += more->fallbacks;
}

#endif
