/*
 * Online softmax one key at a time, for the book's stepper: what the loop of
 * 03_online_softmax/online_softmax.c holds after each key.
 */
#ifndef BOOK_ONLINE_STEPS_H
#define BOOK_ONLINE_STEPS_H

#include <stddef.h>

enum { MOST_SCORES = 32 };

typedef struct {
    float x;     /* the key's score */
    float m;     /* maximum so far */
    float alpha; /* e^(m before - m), what the past is multiplied by */
    float p;     /* e^(x - m), what the key adds */
    float l;     /* sum so far, against m */
} online_step;

typedef struct {
    size_t n;
    online_step step[MOST_SCORES];
    float y[MOST_SCORES]; /* the weights, by online_softmax itself */
    float L;              /* and its logsumexp */
} online_steps;

/* n <= MOST_SCORES scores; of more, only the first are taken. */
void online_steps_of(online_steps *all, const float *x, size_t n);

/* e^(x_j - m) as step k sees it, j <= k: how high key j's share of l stands. */
float online_share(const online_steps *all, size_t j, size_t k);

#endif
