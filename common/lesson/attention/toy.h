/*
 * A toy problem for calculation by hand, and traces of kernels on it: 4
 * queries, 4 keys, d = 2, integer scores. In rows 0, 1 and 2 the last two keys
 * have a larger maximum than the first two keys, in row 3 a smaller one.
 */
#ifndef COMMON_TOY_H
#define COMMON_TOY_H

#include "common/step.h"

enum { TOY_N = 4, TOY_D = 2, TOY_TILE = 2 };

typedef struct {
    float Q[TOY_N * TOY_D], K[TOY_N * TOY_D], V[TOY_N * TOY_D];
    float O[TOY_N * TOY_D], L[TOY_N];
    head head; /* has these arrays, and tiles of 2 queries and 2 keys */
} toy;

/* Fills the toy. It must not be moved afterwards: t->head points into it. */
void toy_fill(toy *t);

void toy_print(const toy *t);

/* Runs the step on the toy with a watch (or NULL) and stores the counts.
 * Returns 0, or 1 after one line on stderr. */
int toy_run(toy *t, const attention_step *step, memory_watch *watch,
            void *watcher, counts *counted);

/* Runs the step. If its O equals `traced` (4 x 2) bit for bit, prints that and
 * returns 0. Otherwise returns 1 after one line on stderr. */
int toy_compare(toy *t, const attention_step *step, const float *traced);

/* Frees the memory after a run. Returns 0, or 1 after one line on stderr. */
int toy_end(memory *mem);

/* Merges a tile of two keys, j0 and j0 + 1, into the state m, l, o of query i,
 * with the functions that the kernels of chapters 04 and 05 call. o is divided
 * by l. Returns the scores s, the row max m and the sum l of the tile, the
 * factor alpha of the old state, and the factor beta of the tile. */
typedef struct {
    float s[TOY_TILE], m, l, alpha, beta;
} toy_tile;
toy_tile toy_join(const toy *t, size_t i, size_t j0, float *m, float *l,
                  float *o);

/* Returns n numbers as text, for example "0.7311 0.2689" or "1 0". A number has
 * four decimals, or none if it is an integer. */
typedef struct {
    char text[80];
} numbers;
numbers numbers_text(const float *x, size_t n);

/* Records how a kernel runs on the toy: the order in which it visits the
 * tiles (i, j) of queries and keys, and the tiles that each visit reads and
 * writes. */
enum { MOST_VISITS = 8 };

typedef struct {
    bool pair;      /* false for the work on L after all pairs of tiles */
    size_t i, j;    /* indices of the tiles of queries and of keys */
    char read[32];  /* "Q0 K0 V0": tiles in the order of their loads */
    char wrote[32]; /* "O0 m0 l0": tiles in the order of their stores */
    size_t in, out; /* elements read and written */
} visit;

typedef struct {
    visit visit[MOST_VISITS];
    size_t n;
    counts counts; /* of the whole run */
    const head *h;
    size_t i, j;             /* indices of the last loaded tiles of Q and K */
    const float *scratch[2]; /* m and l in HBM, in the order of their use */
} visits;

/* Runs the step on the toy and records its visits. Returns an exit code. */
int visits_of(visits *v, toy *t, const attention_step *step);

/* Prints the visits of two kernels in two columns: the order as a grid, then
 * one line for each visit. If right is NULL, there is only one column. */
void visits_print(const visits *left, const char *left_title,
                  const visits *right, const char *right_title);

#endif
