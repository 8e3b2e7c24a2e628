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
/* Its MPI_STATUSES_IGNORE is the address 1, and gcc takes it for an array that
 * is written to. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

/* The whole problem, the same on every rank. The heads of a batch are said as
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

/* The rows of one rank, n in all; in its memory one behind the other. */
typedef struct {
    chunk part[2];
    size_t n;
} share;

/* The nth of so many parts of n rows: no two differ by more than one, and some
 * are empty if there are fewer rows than parts. */
chunk cut(size_t n, size_t parts, size_t nth);

/* Which of the 2P chunks is rank r's first one (half 0) or second (half 1). */
typedef size_t owner_rule(size_t P, size_t r, size_t half);
owner_rule neighbours; /* chunks 2r and 2r + 1 */
owner_rule folded;     /* chunks r and 2P - 1 - r: zigzag.c */

share share_of(owner_rule *owns, size_t N, size_t P, size_t r);
/* The whole sequence as a share. */
share everything(size_t N);
/* The most rows that a rank has. */
size_t largest_share(owner_rule *owns, size_t N, size_t P);

typedef struct {
    MPI_Comm comm;
    size_t P, r;
    ring_problem p;
    owner_rule *owns;
    share q, k; /* the rows that it holds: of Q, of K and V */
    float *Q;   /* Hq x q.n x d */
    float *K;   /* Hk x k.n x d, with room for the largest share */
    float *V;   /* Hk x k.n x dv, the same */
    /* Hq x q.n rows (m, l, o_0 .. o_{dv-1}), o not yet divided by l; in the end
     * (-, L, O). A partial result is sent in one piece. */
    matrix result;
    /* In the backward pass, as Q, K, V and O are here; else NULL. */
    float *dO, *dQ, *dK, *dV;
    size_t pairs; /* of a query and a key that it has attended to */
    memory hbm;   /* the arrays of this rank: hbm.extra floats */
    memory chip;  /* the tiles of a kernel */
} rank;

/* P of this program. */
size_t rank_count(void);

/* rows x cols floats of the rank's memory, freed at its end. */
float *floats_of(rank *me, size_t rows, size_t cols);

/* Returns 1 on all ranks if any is out of memory (hbm.message), else 0. */
int out_of_memory(rank *me);

/*
 * Computes all queries of the rank with those keys and merges into the result.
 * Calls MPI once per head, so that the n messages make progress.
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

/* Of one head: its queries against a chunk of its keys, merged into h->m, h->l
 * and h->O, which is not yet divided (attend_chunk.c). */
attention_fn attend_chunk;

/* No keys yet: (-inf, 0, 0) in each row of the result. */
void begin(rank *me);
/* Each row is divided, once: (-, L, O). */
void finish(rank *me);
/* No key, no query yet: zeros in dQ, dK and dV. */
void begin_back(rank *me);

#endif
