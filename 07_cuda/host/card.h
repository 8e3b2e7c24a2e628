/*
 * The list of cards. ladder.c has the demand of each rung, and `make
 * sass-check` compares it with the machine code.
 */
#ifndef CUDA_CARD_H
#define CUDA_CARD_H

#include "07_cuda/rung.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *name;
    int capability; /* 10 times the compute capability */
    int KiB;        /* shared memory that one block may have, in KiB */
} card;

/* In the order of their shared memory; {0} ends the list. Source: CUDA C++
 * Programming Guide, "Technical Specifications per Compute Capability". */
extern const card cards[];

/* True if the card can run a kernel with this demand at D columns. If it
 * cannot, stores the reason. */
enum { REASON = 100 };
bool card_runs(const card *c, const demand *n, int D, char why[REASON]);

#ifdef __cplusplus
}
#endif
#endif
