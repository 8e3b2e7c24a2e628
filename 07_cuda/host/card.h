/*
 * Which card runs which kernel: the only list, used by the tests, the
 * benchmark, the pages and `make gpu-check`. ladder.c has the needs of each
 * rung; `make sass-check` compares them with the machine code.
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

/* From the smallest on, ends with {0}. Source: CUDA C++ Programming Guide,
 * "Technical Specifications per Compute Capability". */
extern const card cards[];

/* True if the card can run a kernel with this demand at D columns. If not,
 * stores the reason, as "needs 97 KiB of shared memory, this card has 64". */
enum { REASON = 100 };
bool card_runs(const card *c, const demand *n, int D, char why[REASON]);

#ifdef __cplusplus
}
#endif
#endif
