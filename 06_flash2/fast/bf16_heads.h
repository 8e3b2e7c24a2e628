/*
 * Runs the steps in bf16 on all cores. Each is compiled for the instructions of
 * a CPU and in plain C, the targets amx and model (matrix_unit.h) of the
 * flash2_amx steps, pairs and pairs_model of flash2_pairs (pairs_block.h). The
 * environment variable FLASH2_TILES selects one. docs/cpu_speed.md
 */
#ifndef FLASH2_BF16_HEADS_H
#define FLASH2_BF16_HEADS_H

#include "common/layer.h"

/* The Makefile sets the targets that the compiler supports. */
#ifndef AMX_TARGETS
#define AMX_TARGETS   X(model)
#define PAIRS_TARGETS X(pairs_model)
#endif

enum {
    BC = 64,      /* keys of a block */
    WIDEST = 256, /* the largest d and dv of the flash2_amx steps */
    TILE_FLOATS = 256
};

typedef struct {
    size_t queries; /* of a block */
    precision type; /* rounds Q, K and V to this type */
    bool all_rules; /* supports every rule and size */
    /* Return the floats for the packed keys of a head, and the floats that a
     * thread needs for a block of queries. */
    size_t (*packed_floats)(const head *h);
    size_t (*state_floats)(const head *h);
    /* Packs K and V of block j of BC keys. */
    void (*pack)(const head *h, size_t j, float *packed);
    /* Computes O and L of a block of queries from i0, or up to the last query.
     * packed and state must be aligned to 64 bytes. next has rows of the head
     * that this thread packs next, or none; the kernel may prefetch them.
     * Returns false if flash2 must compute the block. Then O and L are
     * undefined. */
    bool (*attend)(const head *h, const head *next, const float *packed,
                   size_t i0, float *state);
    /* Computes products of TILE_FLOATS sums, for test_bf16.c. */
    void (*product)(float *C, const float *A, const float *B);
    /* Computes n times 65,536 FLOPs in registers, to measure the peak. */
    float (*products)(size_t n);
} bf16_kernel;

#define X(target)                                                              \
    extern const bf16_kernel flash2_amx_plain_##target,                        \
        flash2_amx_overlap_##target, flash2_amx_##target;
AMX_TARGETS
#undef X
#define X(target) extern const bf16_kernel flash2_pairs_##target;
PAIRS_TARGETS
#undef X

/* True if this machine can run the target. */
bool bf16_target_runs(const char *target);

/* Returns "amx" or "pairs": the instructions in bf16 that FLASH2_TILES selects,
 * or else the fastest of this CPU. Returns NULL without such instructions. */
const char *bf16_instructions(void);

/* Returns the measured FLOP/s of these instructions, or 0 without them. */
double bf16_peak(size_t threads);

/* True if flash2_pairs was measured on CPUs of this family, and was faster than
 * flash2_simd. The vendor is CPUID's, such as "AuthenticAMD". */
bool pairs_are_faster(const char *vendor, unsigned family);

/* Computes O and L of all heads on all cores. Returns mem->error, which is
 * MEMORY_REFUSED for rules, types and sizes that the kernel does not support. */
int attend_in_bf16(const bf16_kernel *kernel, const layer *l, memory *mem);

#endif
