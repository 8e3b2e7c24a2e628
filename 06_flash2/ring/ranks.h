/*
 * Attention over P ranks: the data of one rank and its operations.
 *
 * A rank is a process with its own memory, perhaps on its own machine. It
 * receives data of other ranks in messages. The rows of Q, K and V are divided
 * into 2P chunks, and each rank owns two. In zigzag these are folded; in all
 * other steps they are neighbours, so a rank's rows are contiguous.
 */
#ifndef RING_RANKS_H
#define RING_RANKS_H

#include <mpi.h>

#include "common/step.h"

#if defined(MPICH) && defined(__GNUC__) && !defined(__clang__)
/* MPICH's MPI_STATUSES_IGNORE is the address 1; gcc warns of writing there. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

/* The whole problem, the same on every rank. The heads of all batch entries are
 * one list: query head n attends with key head n / (Hq / Hk). */
typedef struct {
    size_t Hq, Hk, Nq, Nk, d, dv;
    float scale;
    bool causal;
    long offset; /* query i sees keys j <= i + offset, -Nq .. Nk */
} ring_problem;

/* Rows first .. first + n - 1 of the sequence. */
typedef struct {
    size_t first, n;
} chunk;

/* The rows of one rank, n in total, contiguous in its memory. */
typedef struct {
    chunk part[2];
    size_t n;
} share;

/* Returns part nth of n rows. The sizes of the parts differ by at most one;
 * some are empty if there are fewer rows than parts. */
chunk cut(size_t n, size_t parts, size_t nth);

/* Returns the chunk, of 2P, that is rank r's first (half 0) or second
 * (half 1). */
typedef size_t owner_rule(size_t P, size_t r, size_t half);
owner_rule neighbours; /* chunks 2r and 2r + 1 */
owner_rule folded;     /* chunks r and 2P - 1 - r: zigzag.c */

share share_of(owner_rule *owns, size_t N, size_t P, size_t r);
/* Returns the whole sequence as a share. */
share everything(size_t N);
/* Returns the largest number of rows of a rank. */
size_t largest_share(owner_rule *owns, size_t N, size_t P);

typedef struct {
    MPI_Comm comm;
    size_t P, r;
    ring_problem p;
    owner_rule *owns;
    share q, k; /* its rows of Q; its current rows of K and V */
    float *Q;   /* Hq x q.n x d */
    float *K;   /* Hk x k.n x d, with room for the largest share */
    float *V;   /* Hk x k.n x dv, the same */
    /* Hq x q.n rows (m, l, o_0 .. o_{dv-1}), with o not divided by l; at the
     * end (-, L, O). */
    matrix result;
    /* In the backward pass, with the layout of Q, K, V and O; else NULL. */
    float *dO, *dQ, *dK, *dV;
    size_t pairs; /* attended pairs of a query and a key */
    memory hbm;   /* the arrays of this rank: hbm.extra floats */
    memory chip;  /* the tiles of a kernel */
} rank;

/* Returns P. */
size_t rank_count(void);

/* Returns rows x cols floats of the rank's memory, freed at its end. */
float *floats_of(rank *me, size_t rows, size_t cols);

/* Returns 1 on all ranks if any is out of memory (hbm.message), else 0. */
int out_of_memory(rank *me);

/*
 * Computes all queries of the rank with those keys, and merges into the result.
 * Calls MPI once per head, so that the n messages make progress meanwhile.
 */
void attend_share(rank *me, share keys, float *K, float *V, int n,
                  MPI_Request messages[]);

/* Runs flash2 for all queries of the rank; K and V hold all keys. */
void attend_all_keys(rank *me, float *K, float *V);

/*
 * The backward pass by flash2_backward, from L and O of the result: adds to dQ
 * of the rank's queries, and to dK and dV of those keys in me->dK and me->dV,
 * which have the layout of K and V.
 */
void attend_back(rank *me, share keys, float *K, float *V, float *part, int n,
                 MPI_Request messages[]);

/* Computes one head with a chunk of its keys, and merges into h->m, h->l and
 * h->O, which is not divided yet (attend_chunk.c). */
attention_fn attend_chunk;

/* Sets each row of the result to (-inf, 0, 0): no keys yet. */
void begin(rank *me);
/* Divides each row once: (-, L, O). */
void finish(rank *me);
/* Sets dQ, dK and dV to zeros. */
void begin_back(rank *me);

#endif
