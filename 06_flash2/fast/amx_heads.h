/*
 * Runs the flash2_amx steps on all cores. Their source is compiled once for
 * each target in AMX_TARGETS, at most amx, vdpbf16 and model (matrix_unit.h).
 * The environment variable FLASH2_TILES selects one. docs/matrix_unit.md
 */
#ifndef FLASH2_AMX_HEADS_H
#define FLASH2_AMX_HEADS_H

#include "common/layer.h"

/* The Makefile sets AMX_TARGETS to the targets that the compiler supports. */
#ifndef AMX_TARGETS
#define AMX_TARGETS X(model)
#endif

enum {
    BR = 32,      /* queries of a block */
    BC = 64,      /* keys of a block */
    WIDEST = 256, /* the largest d and dv */
    TILE_FLOATS = 256
};

static inline size_t packed_floats(const head *h, size_t n)
{
    return tiles(n, BC) * (tiles(h->d, 32) + tiles(h->dv, 32)) * 4 *
           TILE_FLOATS;
}

typedef struct {
    size_t state_floats; /* per thread, for its block of queries */
    /* Stores K and V of block j of BC keys as tiles in bf16. */
    void (*pack)(const head *h, size_t j, float *packed);
    /* Computes O and L of queries i0 to i0 + BR - 1, or up to the last query.
     * packed and state must be aligned to 64 bytes, and |scale| must be at
     * least FLT_MIN. Returns false if O or l is not finite, or if a row sees
     * keys but all its weights are 0. Then O and L are undefined. */
    bool (*attend)(const head *h, const float *packed, size_t i0, float *state);
    /* Computes C += A B of tiles (matrix_unit.h), for test_amx.c. */
    void (*product)(float *C, const float *A, const float *B);
    /* Computes 4 n products of tiles in registers, to measure the peak. */
    float (*products)(size_t n);
} amx_kernel;

#define X(target)                                                              \
    extern const amx_kernel flash2_amx_plain_##target,                         \
        flash2_amx_overlap_##target, flash2_amx_##target;
AMX_TARGETS
#undef X

size_t amx_targets(void);

/* True if this machine can run target t. */
bool amx_target_runs(size_t t);

/* Returns the measured FLOP/s of products on AMX, or 0 without AMX. */
double amx_peak(size_t threads);

/* Computes O and L of all heads on all cores. Returns mem->error, which is
 * MEMORY_REFUSED for rules, types and sizes that the steps do not support. */
int attend_on_tiles(const amx_kernel *kernel, const layer *l, memory *mem);

#endif
