/*
 * A peer of the benchmark in a process of its own (peers.py): where two
 * libraries of threads share a process, the threads of the one that waits take
 * the cores from the other.
 */
#ifndef LAB_PEER_PROCESS_H
#define LAB_PEER_PROCESS_H

#include <stdio.h>
#include <sys/types.h>

#include "common/problem/backward_layer.h"
#include "common/problem/heads.h"

typedef struct {
    pid_t pid;
    FILE *to, *from;
    char says[160]; /* after a call: its version, or what was wrong */
} peer_process;

enum { PEER_OK, PEER_DECLINES, PEER_FAILED };

/* Each of these returns one of the three; after PEER_FAILED it can only be
 * stopped. The first runs `PYTHON docs/lab/peers.py NAME THREADS`. */
int peer_start(peer_process *peer, const char *python, const char *name);
/* Hands it Q, K and V. */
int peer_problem(peer_process *peer, const layer *p);
/* Fills the layer's O. */
int peer_output(peer_process *peer, const layer *p);
/* The same of torch_autograd: hands it dO too; fills dQ, dK and dV. */
int peer_backward_problem(peer_process *peer, const backward_layer *b);
int peer_gradients(peer_process *peer, const backward_layer *b);
/* The seconds of a run. */
int peer_time(peer_process *peer, const layer *p, size_t runs, double *seconds);

void peer_stop(peer_process *peer);

#endif
