/*
 * Attention over P ranks: the data of one rank, and functions on it.
 *
 * A rank is a process with its own memory, which may run on its own machine.
 * The rows of Q, K and V are divided into 2P chunks, and each rank owns two
 * chunks. An owner_rule defines which two.
 */
#ifndef RING_RANKS_H
#define RING_RANKS_H

#include <mpi.h>

#include "common/step.h"

#if defined(MPICH) && defined(__GNUC__) && !defined(__clang__)
/* In MPICH, MPI_STATUSES_IGNORE is the address 1. gcc warns that MPI_Waitall
 * would write to this address. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

/* The whole problem, with one batch entry. Query head n uses key head
 * n / (Hq / Hk). */
typedef struct {
    size_t Hq, Hk, Nq, Nk, d, dv;
    float scale;
    bool causal;
    long offset; /* -Nq .. Nk; if causal, query i sees keys j <= i + offset */
} ring_problem;

/* Rows first .. first + n - 1 of the sequence. */
typedef struct {
    size_t first, n;
} chunk;

/* The rows of one rank, which are contiguous in its memory. */
typedef struct {
    chunk part[2];
    size_t n;
} share;

/* Returns part nth of n rows. The sizes of two parts differ by at most one. */
chunk cut(size_t n, size_t parts, size_t nth);

/* Returns which of the 2P chunks is the first chunk (half 0) or the second
 * chunk (half 1) of rank r. */
typedef size_t owner_rule(size_t P, size_t r, size_t half);
owner_rule neighbours; /* chunks 2r and 2r + 1 */
owner_rule folded;     /* chunks r and 2P - 1 - r, for zigzag */

share share_of(owner_rule *owns, size_t N, size_t P, size_t r);
/* Returns the whole sequence. */
share everything(size_t N);
/* Returns the largest number of rows of a rank. */
size_t largest_share(owner_rule *owns, size_t N, size_t P);

typedef struct {
    MPI_Comm comm;
    size_t P, r;
    ring_problem p;
    owner_rule *owns;
    share q, k; /* the rank's own rows */
    float *Q;   /* Hq x q.n x d */
    float *K;   /* Hk x k.n x d, with room for the largest share */
    float *V;   /* Hk x k.n x dv, with room for the largest share */
    /* Hq x q.n rows (m, l, o_0 .. o_{dv-1}), where o is not divided by l.
     * finish changes them to (undefined, L, O). */
    matrix result;
    /* dO: Hq x q.n x dv. dQ, dK, dV: like Q, K, V. NULL in forward steps. */
    float *dO, *dQ, *dK, *dV;
    size_t pairs; /* attended pairs of a query and a key */
    memory hbm;   /* the arrays of this rank: hbm.extra floats */
    memory chip;  /* the tiles of a kernel */
} rank;

/* Returns the number of ranks, P. */
size_t rank_count(void);

/* Allocates an array that me->hbm owns. Returns NULL after an error. */
float *floats_of(rank *me, size_t rows, size_t cols);

/* Returns 1 on all ranks if any rank is out of memory, and copies its message
 * to hbm.message of all ranks. Otherwise returns 0. */
int out_of_memory(rank *me);

/*
 * Attends with all queries of the rank to these keys, and merges the results
 * into me->result. K and V have the layout of me->K and me->V. Calls MPI once
 * per head, because MPI may send the n messages only during calls.
 */
void attend_share(rank *me, share keys, float *K, float *V, int n,
                  MPI_Request messages[]);

/* Runs flash2 for all queries of the rank. K and V have all keys. */
void attend_all_keys(rank *me, float *K, float *V);

/*
 * Runs flash2_backward with L and O from me->result. Adds to me->dQ, and adds
 * to dK and dV of these keys in me->dK and me->dV. part is a buffer of q.n x d.
 * K, V, n and messages are as in attend_share.
 */
void attend_back(rank *me, share keys, float *K, float *V, float *part, int n,
                 MPI_Request messages[]);

/* Merges the result for a chunk of keys into h->m, h->l and h->O. */
attention_fn attend_chunk;

/* Sets each row of me->result to (-inf, 0, 0 ..). */
void begin(rank *me);
/* Divides o of each row by l, and replaces l by L. */
void finish(rank *me);
void begin_back(rank *me);

#endif
