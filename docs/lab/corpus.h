/*
 * A text to learn, as tokens: 0, 1, 2, ... in the order in which its characters
 * come. The last tenth is held out if it is more than a batch: what a model
 * makes of it says what it has learnt, and not what it knows by heart.
 */
#ifndef LAB_CORPUS_H
#define LAB_CORPUS_H

#include "common/problem/random.h"

/* A batch; how many of them a loss is measured on; and the most letters. */
enum { SEQUENCES = 8, TOKENS = 64, BATCH = SEQUENCES * TOKENS };
enum { MEASURED = 32, LETTERS = 256 };

typedef struct {
    unsigned char *token;
    size_t n, learnt; /* tokens learnt .. n - 1 are held out */
    size_t epoch;     /* as many batches as are learnt; at least 100 */
    size_t vocabulary;
    char letter[LETTERS];
} corpus;

/* Returns 0, or 1 after one line on stderr; token is the caller's to free. */
int corpus_read(corpus *c, const char *path);

/* Sequences from anywhere in what is learnt, and what comes next at each of
 * their places. */
void draw_batch(const corpus *c, random_source *source, unsigned char *tokens,
                unsigned char *next);

/* Batch nth of MEASURED, which are spread evenly over tokens from .. to - 1. */
void even_batch(const corpus *c, size_t from, size_t to, size_t nth,
                unsigned char *tokens, unsigned char *next);

#endif
