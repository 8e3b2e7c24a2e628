/*
 * A rung of the ladder: attention by one CUDA kernel, for all heads at once.
 *
 * Every rung has the same contract, so that the tests, the program and the
 * benchmark can be handed any of them. Arrays are contiguous and in the
 * device's memory; d and dv are both padded with zeros to D columns, and
 * columns of zeros change no score and no output (padded.c).
 *
 * docs/07_cuda.md
 */
#ifndef CUDA_RUNG_H
#define CUDA_RUNG_H

#include "common/precision.h"

typedef struct {
    precision type; /* of Q, K, V and O; L, m and l are fp32 */
    const void *Q;  /* heads x Nq x D */
    const void *K;  /* heads / group x Nk x D */
    const void *V;  /* heads / group x Nk x D */
    void *O;        /* heads x Nq x D, written */
    float *L;       /* heads x Nq, written */
    float *m, *l;   /* heads x Nq, scratch: only rung 1 keeps them in HBM */
    int heads;      /* over the whole batch, at most 65535 */
    int group;      /* query heads that share one head of K and V */
    int Nq, Nk;
    int D;       /* 64 or 128 */
    float scale; /* finite */
    int offset;  /* query i sees keys j <= i + offset; -Nq .. Nk (sees all) */
} rung_problem;

/*
 * Starts the rung's kernel and doesn't wait for it. Returns 0, or a
 * cudaError_t: of the launch, or of an earlier kernel. Nq and heads are at
 * least 1.
 */
typedef int rung_fn(const rung_problem *p);

typedef struct {
    const char *name;
    const char *idea;
    precision type; /* FP32; or BF16, and then it does FP16 too */
    rung_fn *run;
    int Br[2], Bc[2]; /* rows of its tiles, for D = 64 and for D = 128 */
} rung;

/*
 * The ladder, in the order in which one climbs it: each rung's name NAME, for
 * the function rung_NAME, its tiles and its idea. After the last there is
 * room for Hopper's (TMA, wgmma).
 */
#define FP32_RUNGS(RUNG)                                                       \
    RUNG(flash1, 128, 128, 32, 32, "a thread a query; O, m, l through HBM")    \
    RUNG(flash2, 128, 64, 32, 32, "queries outside; O, m, l in registers")     \
    RUNG(float4, 128, 64, 32, 32, "memory four floats at a time")              \
    RUNG(warp_tiles, 128, 128, 32, 32, "a tile of registers to a lane")

#define NARROW_RUNGS(RUNG)                                                     \
    RUNG(sliced_k, 64, 64, 64, 64, "tensor cores; the warps share queries")    \
    RUNG(split_q, 64, 64, 64, 64, "to each warp its own queries")              \
    RUNG(swizzle, 64, 64, 64, 64, "ldmatrix, and no bank conflicts")           \
    RUNG(cp_async, 64, 64, 64, 64, "the next tile travels meanwhile")          \
    RUNG(full, 128, 128, 64, 32, "32 rows a warp, exp2, causal order")

#define AS_FUNCTION(name, ...) rung_fn rung_##name;
#define AS_NUMBER(name, ...)   RUNG_##name,

#ifdef __cplusplus
extern "C" {
#endif

FP32_RUNGS(AS_FUNCTION)
NARROW_RUNGS(AS_FUNCTION)

enum { FP32_RUNGS(AS_NUMBER) NARROW_RUNGS(AS_NUMBER) RUNGS };

extern const rung ladder[RUNGS];

/* The parts of rung 7 (rung7_full.cu), and the rung without one of them; a
 * scale above 0 only. */
enum { ROWS_32 = 1, EXP2 = 2, EDGES = 4, SKIP = 8, LONGEST = 16, ALL = 31 };

int rung_full_without(const rung_problem *p, int part);

#ifdef __cplusplus
}
#endif
#endif
