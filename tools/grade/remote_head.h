/*
 * Grading of a kernel whose arguments are a head and its memory
 * (tools/grade/remote.h). Each load and store of the worker is sent to the
 * judge, which counts it. The judge also loads: it sends the rows of Q, K or V.
 * So neither the worker's counts nor its arrays decide a test.
 */
#ifndef GRADE_REMOTE_HEAD_H
#define GRADE_REMOTE_HEAD_H

#include "common/head.h"
#include "tools/grade/remote.h"

/* A call of memory.h's watch. The array is Q, K, V, O or L, or the worker's. */
struct transfer {
    int nth; /* 0: the only function that the worker calls in the judge */
    int array;
    bool stored;
    size_t at; /* the element at which the array or its part begins */
    size_t i0, rows, cols;
};

enum { INPUTS = 3, ARRAYS = 5, MOST = 1 << 20 };

static inline array array_of(const head *h, int k)
{
    const array all[ARRAYS] = {h->Q, h->K, h->V, h->O, h->L};

    return k >= 0 && k < ARRAYS ? all[k] : (array){0};
}

#if JUDGE
/* Counts a transfer. For a load from an input, sends the rows. Exits if the
 * transfer is outside of the array. */
static inline void answer_transfer(const head *h, memory *mem)
{
    struct transfer t;
    array a;
    matrix tile = {NULL, 0, 0, 0};

    pass(false, &t.nth + 1, sizeof t - sizeof t.nth);
    a = array_of(h, t.array);
    if (t.i0 > MOST || t.rows > MOST || t.cols > MOST)
        _exit(3);
    if (a.hbm.data) {
        if (t.at > MOST || t.at / a.hbm.stride + t.i0 + t.rows > a.hbm.rows ||
            t.at % a.hbm.stride + t.cols > a.hbm.cols)
            _exit(3);
        a.hbm.data += t.at;
    }
    if (!t.stored && t.array >= 0 && t.array < INPUTS) {
        tile = matrix_of(malloc(t.rows * t.cols * sizeof(float) + 1), t.rows,
                         t.cols);
        load(mem, &tile, a, span_of(t.i0, t.rows));
        pass(true, tile.data, t.rows * t.cols * sizeof(float));
        free(tile.data);
        return;
    }
    (t.stored ? mem->counts.written : mem->counts.read)[ALGORITHM] +=
        t.rows * t.cols;
    mem->loads += !t.stored;
    tile = (matrix){NULL, t.rows, t.cols, t.cols};
    if (mem->watch)
        mem->watch(mem->watcher, t.stored, a, t.i0, tile);
}
#else
/* The watch of a worker's memory. Stores rows from the judge in the tile. */
static inline void ask_transfer(void *watcher, bool stored, array a, size_t i0,
                                matrix tile)
{
    struct transfer t = {.array = ARRAYS,
                         .stored = stored,
                         .i0 = i0,
                         .rows = tile.rows,
                         .cols = tile.cols};

    while (--t.array >= 0) {
        matrix whole = array_of(watcher, t.array).hbm;

        t.at = (size_t)(a.hbm.data - whole.data);
        if (t.at < whole.rows * whole.stride)
            break;
    }
    pass(true, &t, sizeof t);
    if (!stored && t.array >= 0 && t.array < INPUTS)
        for (size_t r = 0; r < tile.rows; r++)
            pass(false, row(tile, r), tile.cols * sizeof(float));
}
#endif

#endif
