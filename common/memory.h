/*
 * Two levels of memory, as the FlashAttention papers count them.
 *
 * HBM is large and slow. An array named there is reached only through load
 * and store, which copy tiles and count every element that crosses.
 *
 * On-chip memory (SRAM) is small and fast: the tiles of Q, K, V and O must
 * fit in M elements. Asking for more is an error that names the sizes. The
 * scores S and the row states m, l are counted beside it and not bounded,
 * because the papers' rule for the tile sizes does not count them either.
 *
 * FlashAttention, arXiv 2205.14135, section 2.1; M is in elements, not bytes.
 */
#ifndef COMMON_MEMORY_H
#define COMMON_MEMORY_H

#include <stdbool.h>

#include "common/counts.h"
#include "common/matrix.h"
#include "common/precision.h"

#define MEMORY_UNBOUNDED  ((size_t)-1)
#define MEMORY_MAX_BLOCKS 16

/* An array in HBM. Absent (a mask) if its matrix has no data. */
typedef struct {
    matrix hbm;     /* reached only through load, store and fill_as */
    precision type; /* what a store rounds to */
} array;

/* Of fp32. */
static inline array hbm_of(float *data, size_t rows, size_t cols)
{
    return (array){matrix_of(data, rows, cols), FP32};
}

/* n of its rows, from i0 on. */
static inline array rows_of(array a, size_t i0, size_t n)
{
    if (a.hbm.data)
        a.hbm = block(a.hbm, i0, 0, n, a.hbm.cols);
    return a;
}

/* What mem->error says. REFUSED: the step does not do what the head asks for.
 * FULL deserves exit code 1, the other two 2. */
enum {
    MEMORY_OK = 0,
    MEMORY_FULL = 1,
    MEMORY_TOO_SMALL = 2,
    MEMORY_REFUSED = 3
};

/* Told of each load from rows i0 .. of a, and of each store to them. */
typedef void memory_watch(void *watcher, bool stored, array a, size_t i0,
                          matrix tile);

typedef struct {
    size_t M;       /* elements on chip for tiles of Q, K, V, O */
    counts counts;  /* what has crossed, summed since memory_init */
    size_t on_chip; /* elements of Q, K, V, O tiles there now */
    size_t scratch; /* elements of S, m, l and other row state on chip */
    size_t extra;   /* elements of HBM beyond the inputs and outputs */
    int error;      /* sticky: the first thing that went wrong */
    char message[160];
    memory_watch *watch; /* NULL, or what a trace follows the kernel with */
    void *watcher;
    size_t blocks;
    float *block[MEMORY_MAX_BLOCKS];
} memory;

/* Nothing allocated, nothing counted; M elements on chip. */
void memory_init(memory *mem, size_t M);

/*
 * Frees every tile and array, and clears the error and the sizes; the counts
 * and M stay, so that heads add up. memory_init, use, memory_reset, use, ...
 */
void memory_reset(memory *mem);

/*
 * rows x cols on chip for a tile of Q, K, V or O (on_chip) or for scores and
 * row state (scratch), or in HBM (hbm_scratch). Fresh elements are NaN, so
 * that one read before it is written shows. On failure mem->error is set and
 * the data is NULL: a kernel asks for all that it needs, then checks once.
 */
matrix on_chip(memory *mem, size_t rows, size_t cols);
matrix scratch(memory *mem, size_t rows, size_t cols);
array hbm_scratch(memory *mem, size_t rows, size_t cols, precision type);

/* Scratch for n numbers: a row state (m, l), or one row. */
float *scratch_floats(memory *mem, size_t n);

/* The same, but of whatever was there: where a head takes microseconds, to fill
 * its room takes one more. */
float *scratch_unset(memory *mem, size_t n);

/* Room on chip that M does not bound, as no real chip has it: what a step
 * moves through HBM is then the least that it could. */
matrix on_chip_whatever_M(memory *mem, size_t rows, size_t cols);

/* The array itself, if there is one, of HBM that outlives the kernel; else
 * scratch. Either way it is extra memory. */
array hbm_kept(memory *mem, array kept, size_t rows, size_t cols,
               precision type);

/* tile = the elements of a that begin at (i0, j0); the tile's shape says how
 * many. Booked as ALGORITHM. */
void load(memory *mem, matrix tile, array a, size_t i0, size_t j0);
void store(memory *mem, array a, size_t i0, size_t j0, matrix tile);

/* The same, booked as asked. */
void load_as(memory *mem, book b, matrix tile, array a, size_t i0, size_t j0);
void store_as(memory *mem, book b, array a, size_t i0, size_t j0, matrix tile);

/* Every element of a becomes x. */
void fill_as(memory *mem, book b, array a, float x);

#endif
