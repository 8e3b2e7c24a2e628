/*
 * Those whom bench_peers times: a step of this process, or attention in a
 * process of its own.
 */
#ifndef LAB_PEER_H
#define LAB_PEER_H

#include "common/print/report.h"
#include "docs/lab/peer_process.h"

typedef struct {
    const char *name, *get; /* get: how it is installed */
    attention_step step;    /* in this process; */
    bool apart;             /* or in one of its own */
    bool here;
    peer_process process;
} peer;

/* Looks for it, and prints its version or how to get it. */
void peer_find(peer *who);

/*
 * Is it to be timed on this problem? Only if its output is near float64's;
 * error says how near. Else one line says why, and is_wrong becomes true unless
 * the peer itself declined.
 */
bool peer_is_right(peer *who, const layer *p, double *error, bool *is_wrong);

/* Seconds of a run: the mean of several, after one that wakes the threads. < 0
 * after one line on stderr: it failed, and is no longer here. */
double peer_seconds(peer *who, const layer *p, size_t runs);

void peer_end(peer *who);

#endif
