/*
 * Suspects: common mistakes that can explain a user's wrong O, L or gradient.
 * The result of each mistake is computed in float64 and compared with the
 * user's.
 *
 * docs/questions.md
 */
#ifndef FLASH_SUSPECTS_H
#define FLASH_SUSPECTS_H

#include "common/lesson/measure_backward.h"

enum { SUSPECTS = 19 };

/* The arrays that a mistake makes wrong. Values can be combined. */
enum { OF_O = 1, OF_L = 2, OF_GRADIENTS = 4 };

typedef struct {
    const char *name;  /* for scripts */
    const char *story; /* the mistake in a sentence */
    int of;            /* the arrays that it makes wrong */
} suspect;

extern const suspect suspects[SUSPECTS];

/* Returns the number of suspects that make any of these arrays wrong. */
size_t suspects_of(int of);

/*
 * Compares query head nth of a user's O with the result of suspect k. got is
 * the user's O of all heads, (B, Hq, Nq, dv). right and L are O and L of head
 * nth in float64. Returns 1 if they match, 0 if not, and -1 without memory.
 *
 * Only the suspect unseen-rows compares rows that see no key. Mistakes in tiles
 * are tried with the tile sizes layer.each.tile (Br = 0 means Br = Bc). If
 * these are not set, tiles of 1, 16, 32, 64, 128 and 256 rows are tried. *Bc
 * becomes the tile size of the match, or 0 if the mistake does not depend on
 * tiles.
 */
int suspect_fits(size_t k, const problem *p, size_t nth, const float *got,
                 const double *right, const double *L, size_t *Bc);

/* Compares a user's L of head h with the result of suspect k (OF_L). sink is
 * the sink of the head, or NO_SINK. Returns as suspect_fits does. */
int lse_suspect_fits(size_t k, const head *h, double sink, const float *got);

/*
 * Compares the user's gradients in b with the result of suspect k, which must
 * be a suspect of gradients. It compares all query heads that share a key head;
 * `first` is the first of these query heads. given[] states which of dQ, dK and
 * dV the user gave. Each given array matches if its relative error against the
 * mistake is at most `most`, or if it is at most 0.01 and a tenth of the error
 * against the right result. Returns as suspect_fits does.
 */
int gradient_suspect_fits(size_t k, const backward_problem *b, size_t first,
                          const bool given[3], double most);

#endif
