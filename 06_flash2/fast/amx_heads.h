/*
 * What the steps on a matrix unit share: packed keys and values, blocks of
 * queries on all cores, and the choice of a target.
 *
 * Their sources are compiled once for each of AMX_TARGETS, best first (amx,
 * vdpbf16, model: matrix_unit.h). FLASH2_TILES=model in the environment chooses
 * one. docs/matrix_unit.md
 */
#ifndef FLASH2_AMX_HEADS_H
#define FLASH2_AMX_HEADS_H

#include "common/layer.h"

/* Given by the Makefile: those that the compiler can compile. */
#ifndef AMX_TARGETS
#define AMX_TARGETS X(model)
#endif

enum {
    BR = 32,      /* queries of a block */
    BC = 64,      /* keys of a block */
    WIDEST = 256, /* columns of Q, K and V, at most */
    TILE_FLOATS = 256
};

/* Bytes of K and V of n keys as tiles, in floats: all padded. */
static inline size_t packed_floats(const head *h, size_t n)
{
    return tiles(n, BC) * (tiles(h->d, 32) + tiles(h->dv, 32)) * 4 *
           TILE_FLOATS;
}

typedef struct {
    size_t state_floats; /* of a thread, for its block of queries */
    /* Rounds block j of BC keys of the head to bf16 and packs it. */
    void (*pack)(const head *h, size_t j, float *packed);
    /* O and L of queries i0 to i0 + BR - 1, as far as there are; packed and
     * state aligned to 64 bytes. False if a number is not finite, or if a row
     * has lost all its weights: then O and L are undefined. */
    bool (*attend)(const head *h, const float *packed, size_t i0, float *state);
    /* C += A B of three tiles (matrix_unit.h), for the test. */
    void (*product)(float *C, const float *A, const float *B);
} amx_kernel;

#define X(target)                                                              \
    extern const amx_kernel flash2_amx_plain_##target,                         \
        flash2_amx_overlap_##target, flash2_amx_##target;
AMX_TARGETS
#undef X

/* Of AMX_TARGETS: how many; a name; true if this CPU and system run it. */
size_t amx_targets(void);
const char *amx_target_name(size_t t);
bool amx_target_runs(size_t t);

/* All heads of the layer. Returns mem->error. */
int attend_on_tiles(const amx_kernel *kernel, const layer *l, memory *mem);

#endif
