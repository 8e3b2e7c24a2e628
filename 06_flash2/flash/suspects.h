/*
 * Common mistakes, computed in float64. A user's wrong O, L or gradient is
 * compared with the result of each mistake.
 *
 * docs/questions.md
 */
#ifndef FLASH_SUSPECTS_H
#define FLASH_SUSPECTS_H

#include "common/lesson/measure_backward.h"

enum { SUSPECTS = 19 };

/* The arrays in which a mistake shows. */
enum { OF_O = 1, OF_L = 2, OF_GRADIENTS = 4 };

/* The name for scripts, the mistake in a sentence, and the arrays in which it
 * shows. */
typedef struct {
    const char *name, *story;
    int of;
} suspect;

extern const suspect suspects[SUSPECTS];

/* Returns the number of mistakes that show in any of these arrays. */
size_t suspects_of(int of);

/*
 * got: a user's O of all heads, (B, Hq, Nq, dv). right and L: O and L of query
 * head nth in float64. Returns 1 if head nth of got is the result of suspect k,
 * else 0; -1 without memory. Rows that see no key are left out. Mistakes with
 * tiles are tried with layer.each.tile (Br 0 means Bc), or if it is not set,
 * with tiles of 1 and of 16 to 256 rows. *Bc: the tile size of the match; 0 if
 * the mistake has no tiles.
 */
int suspect_fits(size_t k, const problem *p, size_t nth, const float *got,
                 const double *right, const double *L, size_t *Bc);

/* The same for a suspect of L; got: L of the head. */
int lse_suspect_fits(size_t k, const head *h, double sink, const float *got);

/*
 * The same for a suspect of gradients, and for all query heads that share a key
 * head; `first` is the first of them. Each given array of dQ, dK and dV must be
 * right, up to a relative error of `most`, or the result of the mistake.
 */
int gradient_suspect_fits(size_t k, const backward_problem *b, size_t first,
                          const bool given[3], double most);

#endif
