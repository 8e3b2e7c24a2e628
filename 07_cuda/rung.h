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

#include <stdbool.h>
#include <stddef.h>

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
    int D;         /* 32, 64, 128 or 256 */
    float scale;   /* finite */
    int offset;    /* query i sees keys j <= i + offset; -Nq .. Nk (sees all) */
    void *scratch; /* scratch_bytes(p) (device.h): for what a rung makes */
} rung_problem;

/*
 * Starts the rung's kernel and doesn't wait for it. Returns 0, or a
 * cudaError_t: of the launch, or of an earlier kernel. Nq and heads are at
 * least 1.
 */
typedef int rung_fn(const rung_problem *p);

/* The columns that a rung may be compiled for. */
enum { HEAD_SIZES = 4 };

typedef struct {
    const char *name;
    const char *idea;
    precision type; /* what it computes in, unless asked for another */
    bool fp16;      /* it does fp16 too */
    bool hopper;    /* it needs a GPU of compute capability 9.0 */
    bool fp8;       /* inside it computes in e4m3, and is as exact as that */
    rung_fn *run;
    /* Rows of its tiles for each D of head_size; 0: not for that D. */
    int Br[HEAD_SIZES], Bc[HEAD_SIZES];
} rung;

/*
 * The ladder, in the order in which one climbs it. A rung that has a file and
 * a line here is in the program, the tests and the benchmark:
 *
 *   name     its function is rung_NAME
 *   type     FP32; NARROW: bf16, or fp16 if asked; HOPPER: bf16; FP8: e4m3
 *            from bf16, on Hopper
 *   bytes    which closed form counts what it moves (traffic.h); NULL: none
 *            that adds up head by head
 *   Br, Bc   rows of its tiles for D = 32, 64, 128, 256; 0: not for that D
 *   idea
 */
#define LADDER(RUNG)                                                           \
    RUNG(flash1, FP32, as_flash1, (128, 128, 128, 128), (32, 32, 32, 16),      \
         "a thread a query; O, m, l through HBM")                              \
    RUNG(flash2, FP32, as_flash2, (128, 128, 64, 32), (32, 32, 32, 16),        \
         "queries outside; O, m, l in registers")                              \
    RUNG(float4, FP32, as_flash2, (128, 128, 64, 32), (32, 32, 32, 16),        \
         "memory four floats at a time")                                       \
    RUNG(warp_tiles, FP32, as_flash2, (128, 128, 128, 0), (32, 32, 32, 0),     \
         "a tile of registers to a lane")                                      \
    RUNG(sliced_k, NARROW, as_flash2, (64, 64, 64, 0), (64, 64, 64, 0),        \
         "tensor cores; the warps share queries")                              \
    RUNG(split_q, NARROW, as_flash2, (64, 64, 64, 0), (64, 64, 64, 0),         \
         "to each warp its own queries")                                       \
    RUNG(swizzle, NARROW, as_flash2, (64, 64, 64, 0), (64, 64, 64, 0),         \
         "ldmatrix, and no bank conflicts")                                    \
    RUNG(cp_async, NARROW, as_flash2, (64, 64, 64, 0), (64, 64, 64, 0),        \
         "the next tile travels meanwhile")                                    \
    RUNG(full, NARROW, as_flash2, (128, 128, 128, 64), (64, 64, 32, 32),       \
         "32 rows a warp, exp2, causal order")                                 \
    RUNG(wgmma, HOPPER, in_whole_tiles, (0, 128, 128, 0), (0, 128, 128, 0),    \
         "wgmma and TMA: tiles come by themselves")                            \
    RUNG(roles, HOPPER, in_whole_tiles, (0, 192, 128, 0), (0, 128, 128, 0),    \
         "one warpgroup loads, the others compute")                            \
    RUNG(pingpong, HOPPER, in_whole_tiles, (0, 192, 128, 0), (0, 128, 128, 0), \
         "softmax beside matrix products")                                     \
    RUNG(fp8, FP8, NULL, (0, 192, 128, 0), (0, 128, 128, 0),                   \
         "fp8 e4m3, a scale for each block")                                   \
    RUNG(split_kv, HOPPER, NULL, (0, 64, 64, 0), (0, 128, 64, 0),              \
         "keys in parts over the grid, then merged")

#define AS_FUNCTION(name, ...) rung_fn rung_##name;
#define AS_NUMBER(name, ...)   RUNG_##name,

#ifdef __cplusplus
extern "C" {
#endif

LADDER(AS_FUNCTION)

/* From FIRST_16_BIT on they use tensor cores, from FIRST_HOPPER on Hopper's. */
enum {
    LADDER(AS_NUMBER) RUNGS,
    FIRST_16_BIT = RUNG_sliced_k,
    FIRST_HOPPER = RUNG_wgmma
};

extern const rung ladder[RUNGS];
extern const int head_size[HEAD_SIZES]; /* 32, 64, 128, 256 */

/* The type that it computes in where this one of 16 bits is asked for. */
precision rung_type(const rung *r, precision asked);

/* The fewest columns, at least so many, that it is compiled for; 0: none. */
int rung_columns(const rung *r, size_t at_least);

/* Rows of its tiles for D columns. */
int rung_Br(const rung *r, int D);
int rung_Bc(const rung *r, int D);

/* The parts of rung 7 (rung7_full.cu), and the rung without one of them; a
 * scale above 0 only. */
enum { ROWS_32 = 1, EXP2 = 2, EDGES = 4, SKIP = 8, LONGEST = 16, ALL = 31 };

int rung_full_without(const rung_problem *p, int part);

/* The two halves of rung 11: Q, K, V to p->scratch (fp8.h); all the rest. */
rung_fn fp8_quantise, fp8_attend;

/* How many keys a part of rung 12 has, on a GPU of so many multiprocessors; and
 * rung 12 with parts of so many, a multiple of its Bc. */
int rung_split_kv_keys(const rung_problem *p, int multiprocessors);
int rung_split_kv_by(const rung_problem *p, int keys);

#ifdef __cplusplus
}
#endif
#endif
