/*
 * What somebody else's O would be if it came of a common mistake: ten of them,
 * computed in float64, so that a wrong answer can be held against each.
 *
 * docs/questions.md
 */
#ifndef COMMON_SUSPECTS_H
#define COMMON_SUSPECTS_H

#include "common/layer.h"

enum { SUSPECTS = 10 };

/* Its name for scripts, and what went wrong, in a sentence. */
typedef struct {
    const char *name, *story;
} suspect;

extern const suspect suspects[SUSPECTS];

/*
 * got: O of all heads, (B, Hq, Nq, dv), as somebody wrote it; right: that of
 * query head nth in float64. Is got's head nth what suspect k would have given?
 * Mistakes with tiles are tried with the head's (l->each.tile, whose Br may be
 * 0: as Bc) or, if it names none, with those of 1 and of 16 to 256 rows. *Bc:
 * the tile that explained it, 0 where there is none. Returns 1, 0, or -1
 * without memory.
 */
int suspect_fits(size_t k, const layer *l, size_t nth, const float *got,
                 const double *right, size_t *Bc);

#endif
