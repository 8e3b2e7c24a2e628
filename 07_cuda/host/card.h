/*
 * Which card runs what: the one list that the tests, the benchmark, the pages
 * and `make gpu-check` ask. What a block needs stands in the ladder's table
 * (rung.h); `make sass-check` compares it with the machine code.
 */
#ifndef CUDA_CARD_H
#define CUDA_CARD_H

#include "07_cuda/rung.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *name;
    int capability; /* compute capability, times ten */
    int KiB;        /* shared memory that one block may have */
} card;

/* From the smallest on, by the CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability"; {0} ends. */
extern const card cards[];

/* Can it run a rung that needs this, at D columns? If not: why, as "needs 97
 * KiB of shared memory, this card gives 64". */
enum { REASON = 100 };
bool card_runs(const card *c, const demand *n, int D, char why[REASON]);

#ifdef __cplusplus
}
#endif
#endif
