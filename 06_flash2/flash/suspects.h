/*
 * Common mistakes, computed in float64: a user's wrong O, L or gradient is
 * compared with the result of each.
 *
 * docs/questions.md
 */
#ifndef FLASH_SUSPECTS_H
#define FLASH_SUSPECTS_H

#include "common/lesson/measure_backward.h"

enum { SUSPECTS = 19 };

/* The arrays in which a mistake shows. */
enum { OF_O = 1, OF_L = 2, OF_GRADIENTS = 4 };

/* Its name for scripts, the mistake in a sentence, and where it shows. */
typedef struct {
    const char *name, *story;
    int of;
} suspect;

extern const suspect suspects[SUSPECTS];

/* Returns how many mistakes show in any of these arrays. */
size_t suspects_of(int of);

/*
 * got: O of all heads, (B, Hq, Nq, dv), of a user's; right and L: O and L of
 * query head nth in float64. Returns 1 if got's head nth is what suspect k, of
 * O, gives, else 0, or -1 without memory. Rows that see no key are left out.
 * Mistakes with tiles are tried with the head's (layer.each.tile, whose Br may
 * be 0: as Bc) or, if it names none, with those of 1 and of 16 to 256 rows.
 * *Bc: the tile that explained it, 0 where there is none.
 */
int suspect_fits(size_t k, const problem *p, size_t nth, const float *got,
                 const double *right, const double *L, size_t *Bc);

/* The same of a suspect of L; got: L of the head. */
int lse_suspect_fits(size_t k, const head *h, double sink, const float *got);

/*
 * The same of a suspect of gradients, for the query heads that share a key
 * head; `first` is the first of these. Those of dQ, dK and dV that are given
 * must be right, up to a relative error of `most`, or what the mistake gives.
 */
int gradient_suspect_fits(size_t k, const backward_problem *b, size_t first,
                          const bool given[3], double most);

#endif
