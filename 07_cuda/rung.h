/*
 * A rung of the ladder: attention by one CUDA kernel, for all heads at once.
 *
 * Every rung has the same contract, so the tests, the program and the benchmark
 * can run any of them. Arrays are contiguous and in the device's memory. d and
 * dv are both padded with zeros to D columns, which change no score and no
 * output (padded.c).
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
    void *scratch; /* scratch_bytes(p) (device.h), for a rung's own data */
} rung_problem;

/*
 * Starts the rung's kernels and returns without waiting for them. Returns 0, or
 * the cudaError_t of the launch or of an earlier kernel. Nq and heads are at
 * least 1.
 */
typedef int rung_fn(const rung_problem *p);

/* The columns that a rung may be compiled for. */
enum { HEAD_SIZES = 4 };
extern const int head_size[HEAD_SIZES]; /* 32, 64, 128, 256 */

/* What a rung needs from a GPU (host/card.h): the lowest compute capability,
 * times ten; and the KiB of shared memory of a block, rounded up, for each D of
 * head_size, or 0 if the rung is not compiled for that D. */
enum { TURING = 75, AMPERE = 80, HOPPER = 90 /* only this one, none later */ };
typedef struct {
    int capability, KiB[HEAD_SIZES];
} demand;

typedef struct {
    const char *name;
    const char *idea;
    precision type; /* its default type */
    bool fp16;      /* it can compute in fp16, too */
    bool fp8;       /* it computes in e4m3, with that precision */
    demand needs;
    rung_fn *run;
    int Br[HEAD_SIZES], Bc[HEAD_SIZES]; /* rows of its tiles, for each D */
} rung;

static inline bool is_hopper(const rung *r)
{
    return r->needs.capability == HOPPER;
}

#ifdef __cplusplus
extern "C" {
#endif

/* The rungs in the order of the ladder. The program, the tests and the
 * benchmark run each rung that is named here and has a line in ladder.c. From
 * FIRST_16_BIT on they use tensor cores, from FIRST_HOPPER on Hopper's. */
rung_fn rung_standard, rung_flash1, rung_flash2, rung_float4, rung_warp_tiles,
    rung_sliced_k, rung_split_q, rung_swizzle, rung_cp_async, rung_full,
    rung_wgmma, rung_roles, rung_pingpong, rung_fp8, rung_split_kv;

enum {
    RUNG_standard,
    RUNG_flash1,
    RUNG_flash2,
    RUNG_float4,
    RUNG_warp_tiles,
    RUNG_sliced_k,
    RUNG_split_q,
    RUNG_swizzle,
    RUNG_cp_async,
    RUNG_full,
    RUNG_wgmma,
    RUNG_roles,
    RUNG_pingpong,
    RUNG_fp8,
    RUNG_split_kv,
    RUNGS,
    FIRST_16_BIT = RUNG_sliced_k,
    FIRST_HOPPER = RUNG_wgmma
};

extern const rung ladder[RUNGS];

/* Returns the type of r's arrays if this type is requested. */
precision rung_type(const rung *r, precision requested);

/* Of the columns for which a rung with this demand is compiled: columns_for
 * returns the fewest that are at_least or more, or 0; widest_of the most. */
int columns_for(const demand *n, size_t at_least);
int widest_of(const demand *n);

/* Returns the element of rows (Br or Bc of a rung) for D columns, or 0. */
int rows_for(const int rows[HEAD_SIZES], int D);

/* The rows of a rung's tiles for D columns, or 0. */
static inline int rung_Br(const rung *r, int D)
{
    return rows_for(r->Br, D);
}
static inline int rung_Bc(const rung *r, int D)
{
    return rows_for(r->Bc, D);
}

/* The parts of rung 7 (rung7_full.cu), and the rung without one of them. The
 * scale must be above 0. */
enum { ROWS_32 = 1, EXP2 = 2, EDGES = 4, SKIP = 8, LONGEST = 16, ALL = 31 };

int rung_full_without(const rung_problem *p, int part);

/* The halves of rung 11: Q, K, V to p->scratch (fp8.h); then O and L. */
rung_fn fp8_quantise, fp8_attend;

/* The schedule of rungs 9 to 11, heads_in_L2 heads at a time (0: their choice).
 * Stores the head and the first query of tile number t. Returns its number of
 * tiles of keys; the first `full` of them need no mask. */
int rung_roles_work(const rung_problem *p, int t, int heads_in_L2, int *head,
                    int *i0, int *full);

/* Returns the keys of a part of rung 12 on a GPU with so many multiprocessors;
 * and runs rung 12 with parts of so many keys, a multiple of its Bc. */
int rung_split_kv_keys(const rung_problem *p, int multiprocessors);
int rung_split_kv_by(const rung_problem *p, int keys);

#ifdef __cplusplus
}
#endif
#endif
