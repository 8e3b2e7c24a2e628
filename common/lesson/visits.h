/*
 * In which order does a kernel visit the tiles (i, j) of queries and keys, and
 * what does each visit read and write? Written down while the kernel itself
 * runs on the toy, by watching its loads and stores (memory.h).
 */
#ifndef COMMON_VISITS_H
#define COMMON_VISITS_H

#include "common/lesson/toy.h"

enum { MOST_VISITS = 8 };

typedef struct {
    bool pair;      /* of tiles; else what a kernel does after them, for L */
    size_t i, j;    /* tiles of queries and of keys */
    char read[32];  /* "Q0 K0 V0": tiles in the order of their loads */
    char wrote[32]; /* "O0 m0 l0" */
    bool has_Q, has_K, stored;
} visit;

typedef struct {
    visit visit[MOST_VISITS];
    size_t n;
    counts counts; /* of the whole run */
    const head *h;
    size_t i, j;             /* tiles loaded last */
    const float *scratch[2]; /* m and l in HBM, in the order of their use */
} visits;

/* Runs the kernel on the toy. Returns 0, or 1 after one line on stderr. */
int visits_of(visits *v, toy *t, attention_fn *kernel);

/* The order drawn as a grid, then a line for each visit; two kernels side by
 * side, or the left one alone (right: NULL). */
void visits_print(const visits *left, const char *left_title,
                  const visits *right, const char *right_title);

#endif
