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

#include "common/matrix.h"
#include "common/precision.h"

/* --- Counts ------------------------------------------------------------------ */

/*
 * What a step is charged for. HBM traffic is counted in elements, not bytes, in
 * accounts, so that each can be compared with its formula:
 *
 *   ALGORITHM  what the paper's formula for the step counts
 *   INIT       setting O, l, m and gradients in HBM to their first values
 *   LSE        the logsumexp, where the formula does not count it already
 *   MASK       reading an additive mask, or Q for a softcap's slope alone
 *   SINK       merging a sink into a step's output
 */
typedef enum { ALGORITHM, INIT, LSE, MASK, SINK, ACCOUNTS } account;

typedef struct {
    size_t read[ACCOUNTS], written[ACCOUNTS]; /* elements that crossed HBM */
    size_t exps;                              /* exponentials */
    size_t rescales;  /* multiplications of old l and O by a factor */
    size_t divisions; /* divisions (or multiplications) by a row sum */
    size_t fallbacks; /* times that a fast step left work to flash2 */
} counts;

/* Elements read and written, of the algorithm's account. */
static inline size_t counts_moved(counts c)
{
    return c.read[ALGORITHM] + c.written[ALGORITHM];
}

/* Those of all accounts: all that crosses HBM. */
static inline size_t counts_crossed(counts c)
{
    size_t sum = 0;

    for (size_t b = 0; b < ACCOUNTS; b++)
        sum += c.read[b] + c.written[b];
    return sum;
}

/* total += more, field by field: the sum over heads or over threads. */
static inline void counts_add(counts *total, const counts *more)
{
    for (size_t b = 0; b < ACCOUNTS; b++) {
        total->read[b] += more->read[b];
        total->written[b] += more->written[b];
    }
    total->exps += more->exps;
    total->rescales += more->rescales;
    total->divisions += more->divisions;
    total->fallbacks += more->fallbacks;
}

/* --- Memory ------------------------------------------------------------------ */

#define MEMORY_UNBOUNDED  ((size_t)-1)
#define MEMORY_MAX_BLOCKS 16

/* An array in HBM. Absent if its matrix has no data. */
typedef struct {
    matrix hbm;             /* reached only through load, store and fill_as */
    precision type;         /* what a store rounds to */
    const uint16_t *narrow; /* or NULL; the same numbers, all rows of them, in
                             * 16 bits of that type, for who can read them */
} array;

/* Of fp32. */
static inline array hbm_of(float *data, size_t rows, size_t cols)
{
    return (array){.hbm = matrix_of(data, rows, cols)};
}

/* Some of its rows. */
static inline array rows_of(array a, span i)
{
    if (a.hbm.data)
        a.hbm = block(a.hbm, i.first, 0, i.n, a.hbm.cols);
    if (a.narrow)
        a.narrow += i.first * a.hbm.cols;
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

/* A kernel that was run with a memory of its own is done: mem learns of its
 * error, and `own` is reset. */
void memory_return(memory *mem, memory *own);

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

/*
 * load: the tile takes rows i of the array, and has i.n rows then. store: rows i
 * of the array take those of the tile, rounded to the array's type. Either moves
 * as many columns as the tile has, from column 0. Booked as ALGORITHM.
 */
void load(memory *mem, matrix *tile, array a, span i);
void store(memory *mem, array a, span i, matrix tile);

/* The same of an array of one column, such as m and l. */
void load_floats(memory *mem, float *x, array a, span i);
void store_floats(memory *mem, array a, span i, float *x);

/* The same, booked as asked. */
void load_as(memory *mem, account b, matrix *tile, array a, span i);
void store_as(memory *mem, account b, array a, span i, matrix tile);
void load_floats_as(memory *mem, account b, float *x, array a, span i);
void store_floats_as(memory *mem, account b, array a, span i, float *x);

/* Every element of a becomes x. */
void fill_as(memory *mem, account b, array a, float x);

/* First values on chip: the tile has i.n rows of zeros, x i.n numbers of value. */
void clear(matrix *tile, span i);
void fill_floats(float *x, span i, float value);

#endif
