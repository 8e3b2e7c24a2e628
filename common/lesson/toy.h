/*
 * A toy to be followed by hand: 4 queries, 4 keys, d = 2, scale 1, so that all
 * scores are whole numbers. In rows 0, 1 and 2 the last two keys have a larger
 * maximum than the first two, in row 3 a smaller one.
 */
#ifndef COMMON_TOY_H
#define COMMON_TOY_H

#include "common/head.h"

enum { TOY_N = 4, TOY_D = 2, TOY_TILE = 2 };

typedef struct {
    float Q[TOY_N * TOY_D], K[TOY_N * TOY_D], V[TOY_N * TOY_D];
    float O[TOY_N * TOY_D], L[TOY_N];
    head head; /* of these arrays, in tiles of 2 queries and 2 keys */
} toy;

/* Fills the toy, which must stay where it is. */
void toy_fill(toy *t);

/* Q, K and V side by side. */
void toy_print(const toy *t);

/* Runs a kernel on the toy, in memory that is there; on mem->error says what it
 * is on stderr and returns 1. The caller resets mem. */
int toy_run(toy *t, attention_fn *kernel, memory *mem);

/*
 * Runs the kernel on the toy and compares its O, bit for bit, with the traced
 * one (4 x 2): prints that they are equal and returns 0, or says on stderr
 * that they are not and returns 1.
 */
int toy_compare(toy *t, const char *name, attention_fn *kernel,
                const float *traced);

/* "0.7311 0.2689", "1 0": n numbers, four digits after the point if needed. */
typedef struct {
    char text[80];
} numbers;
numbers numbers_text(const float *x, size_t n);

#endif
