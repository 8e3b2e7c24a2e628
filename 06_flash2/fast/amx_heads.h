/*
 * Functions of all steps on a matrix unit: packed keys and values, blocks of
 * queries on all cores, and the choice of a target.
 *
 * Their sources are compiled once for each of AMX_TARGETS, best first (amx,
 * vdpbf16, model: matrix_unit.h). FLASH2_TILES=model in the environment chooses
 * one. docs/matrix_unit.md
 */
#ifndef FLASH2_AMX_HEADS_H
#define FLASH2_AMX_HEADS_H

#include "common/layer.h"

/* The Makefile defines the targets that the compiler supports. */
#ifndef AMX_TARGETS
#define AMX_TARGETS X(model)
#endif

enum {
    BR = 32,      /* queries of a block */
    BC = 64,      /* keys of a block */
    WIDEST = 256, /* columns of Q, K and V, at most */
    TILE_FLOATS = 256
};

/* Returns the size in floats of K and V of n keys as padded tiles. */
static inline size_t packed_floats(const head *h, size_t n)
{
    return tiles(n, BC) * (tiles(h->d, 32) + tiles(h->dv, 32)) * 4 *
           TILE_FLOATS;
}

typedef struct {
    size_t state_floats; /* per thread, for its block of queries */
    /* Rounds block j of BC keys to bf16 and packs it. */
    void (*pack)(const head *h, size_t j, float *packed);
    /* Computes O and L of queries i0 to i0 + BR - 1, or up to the last. packed
     * and state are aligned to 64 bytes; |scale| is at least FLT_MIN. Returns
     * false if a number is not finite, or if all weights of a row are 0; then O
     * and L are undefined. */
    bool (*attend)(const head *h, const float *packed, size_t i0, float *state);
    /* C += A B for three tiles (matrix_unit.h); for the test. */
    void (*product)(float *C, const float *A, const float *B);
    /* Does 4 n products of tiles in registers. Returns an element of the
     * last. */
    float (*products)(size_t n);
} amx_kernel;

#define X(target)                                                              \
    extern const amx_kernel flash2_amx_plain_##target,                         \
        flash2_amx_overlap_##target, flash2_amx_##target;
AMX_TARGETS
#undef X

/* amx_targets returns the number of targets. amx_target_runs is true if this
 * machine runs target t. */
size_t amx_targets(void);
bool amx_target_runs(size_t t);

/* Returns the FLOP/s of products on AMX, or 0 without AMX. */
double amx_peak(size_t threads);

/* Runs all heads of the layer. Returns mem->error. */
int attend_on_tiles(const amx_kernel *kernel, const layer *l, memory *mem);

#endif
