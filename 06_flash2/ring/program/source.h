/*
 * Where Q, K and V come from: .npy files, of which a rank reads its own rows
 * and no others (MPI-IO), or numbers made row by row, the same for any P.
 */
#ifndef RING_SOURCE_H
#define RING_SOURCE_H

#include "06_flash2/ring/ranks.h"
#include "common/npy/npy.h"

enum { OF_Q, OF_K, OF_V, INPUTS };

typedef struct {
    bool random;
    unsigned long long seed;
    size_t B, heads[INPUTS], N[INPUTS], cols[INPUTS]; /* heads: of all B */
    size_t skipped;       /* rows at Q's beginning that are left out */
    npy_array as[INPUTS]; /* the shapes in the files; no data */
    MPI_Offset data[INPUTS];
    MPI_File file[INPUTS];
} source;

/*
 * Opens the files of that name on all ranks; called by all. Returns 0, or on
 * all 1 (what a file holds) or 2 (shapes that do not fit) after one line on one
 * rank's stderr. In the end: source_close.
 */
int source_open(MPI_Comm comm, source *s, const char *const names[INPUTS]);
void source_close(source *s);

/* Rows first .. first + n - 1 of a head. Returns 0, or 1 if they can't be
 * read. */
int rows_read(const source *s, int which, size_t nth, size_t first, size_t n,
              float *to);

/* The rows of the share, head by head, as a rank holds them. */
int share_read(const source *s, int which, share rows, float *to);

#endif
