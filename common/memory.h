/*
 * Two levels of memory, as the FlashAttention papers count them.
 *
 * HBM is large and slow. Scalar kernels access its arrays through load, store
 * and fill_as, which count every element.
 *
 * On-chip memory (SRAM) is small and fast: the tiles of Q, K, V, O and their
 * gradients must fit in M elements. A larger request fails, with the sizes in
 * the message. The scores S and row states m, l are counted separately and not
 * bounded, because the papers' rule for the tile sizes does not include them.
 *
 * FlashAttention, arXiv 2205.14135, section 2.1; M is in elements, not bytes.
 */
#ifndef COMMON_MEMORY_H
#define COMMON_MEMORY_H

#include <stdbool.h>

#include "common/matrix.h"
#include "common/precision.h"

/*
 * Counts of the work of a step. Each transfer belongs to one account, so that
 * each account can be compared with its own formula:
 *
 *   ALGORITHM  transfers that the paper's formula for the step includes
 *   INIT       initialising O, l, m, gradients, and pages of K and V in HBM
 *   LSE        transfers for L, if the paper's formula does not include them
 *   MASK       reading an additive mask, or Q only for the slope of a softcap
 *   AFTER      loading and storing the output again, after the step
 */
typedef enum { ALGORITHM, INIT, LSE, MASK, AFTER, ACCOUNTS } account;

typedef struct {
    size_t read[ACCOUNTS], written[ACCOUNTS]; /* elements from or to HBM */
    size_t exps;
    size_t rescales;  /* multiplications of l and O by a rescaling factor */
    size_t divisions; /* divisions by a row sum, or products with its inverse */
    size_t fallbacks; /* parts that a fast step left to a slower step */
} counts;

/* Return the number of elements read and written in account b, in account
 * ALGORITHM, and in all accounts. */
static inline size_t counts_in(counts c, size_t b)
{
    return c.read[b] + c.written[b];
}

static inline size_t counts_moved(counts c)
{
    return counts_in(c, ALGORITHM);
}

static inline size_t counts_crossed(counts c)
{
    size_t sum = 0;

    for (size_t b = 0; b < ACCOUNTS; b++)
        sum += counts_in(c, b);
    return sum;
}

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

#define MEMORY_UNBOUNDED  ((size_t)-1)
#define MEMORY_MAX_BLOCKS 16

/* An array in HBM. It is absent if hbm.data is NULL. */
typedef struct {
    matrix hbm;
    precision type;   /* a store rounds to this type */
    uint16_t *narrow; /* the elements in 16 bits, rows contiguous, for steps
                       * that use these instead of hbm; or NULL */
} array;

static inline array hbm_of(float *data, size_t rows, size_t cols)
{
    return (array){.hbm = matrix_of(data, rows, cols)};
}

static inline array rows_of(array a, span i)
{
    if (a.hbm.data)
        a.hbm = block(a.hbm, i.first, 0, i.n, a.hbm.cols);
    if (a.narrow) {
        a.narrow += i.first * a.hbm.cols;
        a.hbm.rows = i.n;
    }
    return a;
}

/* Values of mem->error. Programs exit with 1 after MEMORY_FULL, and with 2
 * after MEMORY_TOO_SMALL and MEMORY_REFUSED. */
enum {
    MEMORY_OK = 0,
    MEMORY_FULL = 1, /* out of memory, too many arrays, or a GPU error */
    MEMORY_TOO_SMALL = 2,
    MEMORY_REFUSED = 3 /* the step does not support the head or the machine */
};

/* Called after each load from array a (stored is false) and after each store to
 * it (stored is true). Row 0 of the tile is row i0 of a. */
typedef void memory_watch(void *watcher, bool stored, array a, size_t i0,
                          matrix tile);

typedef struct {
    size_t M;       /* elements on chip for tiles of Q, K, V, O, gradients */
    counts counts;  /* summed since memory_init */
    size_t on_chip; /* elements of these tiles now on chip */
    size_t scratch; /* elements of S, m, l and other row state on chip */
    size_t extra;   /* elements of HBM beyond the inputs and outputs */
    size_t loads;   /* tiles loaded */
    int error;      /* the first error; later errors do not replace it */
    char message[160];
    memory_watch *watch; /* a trace's callback, or NULL */
    void *watcher;
    size_t blocks;
    float *block[MEMORY_MAX_BLOCKS];
} memory;

/* Initialises mem: M elements on chip, no allocations, counts of 0. */
void memory_init(memory *mem, size_t M);

/* Frees every tile and array, and clears the error and the sizes. Keeps M and
 * the counts, so that counts add up over heads. */
void memory_reset(memory *mem);

/* Raises the sizes on_chip, scratch and extra to those of `used`. */
void memory_raise(memory *mem, const memory *used);

/* Copies own's error to mem, unless mem already has one, and resets own. */
void memory_return(memory *mem, memory *own);

/* Allocate rows x cols elements: on chip for a tile that M bounds (on_chip),
 * on chip for scores or row state (scratch), or in HBM (hbm_scratch). The
 * elements are NaN (poison), so that a use before initialisation shows in the
 * result. On failure mem->error is set and the data is NULL. A kernel allocates
 * all arrays first and then checks mem->error once. */
matrix on_chip(memory *mem, size_t rows, size_t cols);
matrix scratch(memory *mem, size_t rows, size_t cols);
array hbm_scratch(memory *mem, size_t rows, size_t cols, precision type);

/* Allocates scratch for n numbers, such as m or l. Returns NULL after an
 * error. */
float *scratch_floats(memory *mem, size_t n);

/* Like scratch_floats, but without poison, for heads that take microseconds. */
float *scratch_unset(memory *mem, size_t n);

/* Allocates a tile on chip that M does not bound, unlike on a real chip. A step
 * with such tiles shows the smallest HBM traffic of its algorithm. */
matrix on_chip_unbounded(memory *mem, size_t rows, size_t cols);

/* load copies rows i of the array to the tile and sets tile->rows to i.n.
 * store copies the tile to rows i of the array, rounded to the array's type.
 * load and store copy tile->cols columns, from column 0, and count the elements
 * in the account ALGORITHM. */
void load(memory *mem, matrix *tile, array a, span i);
void store(memory *mem, array a, span i, matrix tile);

/* load and store for an array of one column, such as m and l. */
void load_floats(memory *mem, float *x, array a, span i);
void store_floats(memory *mem, array a, span i, float *x);

/* The four functions above, but counted in account b. */
void load_as(memory *mem, account b, matrix *tile, array a, span i);
void store_as(memory *mem, account b, array a, span i, matrix tile);
void load_floats_as(memory *mem, account b, float *x, array a, span i);
void store_floats_as(memory *mem, account b, array a, span i, float *x);

/* Sets every element of a to x. Counts these elements in account b. */
void fill_as(memory *mem, account b, array a, float x);

/* clear sets tile->rows to i.n and all elements to 0. fill_floats sets the
 * first i.n elements to the value. */
void clear(matrix *tile, span i);
void fill_floats(float *x, span i, float value);

#endif
