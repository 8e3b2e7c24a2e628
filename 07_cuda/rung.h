/*
 * The contract of a rung. A rung computes attention for all heads at once by
 * its own CUDA kernels. The ladder is the list of all rungs.
 *
 * Arrays are contiguous and in the device's memory. host/padded.c pads the d
 * columns of Q and K and the dv columns of V and O with zeros to D columns.
 *
 * docs/07_cuda.md
 */
#ifndef CUDA_RUNG_H
#define CUDA_RUNG_H

#include <stdbool.h>
#include <stddef.h>

#include "common/precision.h"

typedef struct {
    precision type; /* element type of Q, K, V and O */
    const void *Q;  /* heads x Nq x D */
    const void *K;  /* heads / group x Nk x D */
    const void *V;  /* heads / group x Nk x D */
    void *O;        /* heads x Nq x D, written */
    float *L;       /* heads x Nq, written */
    float *m, *l;   /* heads x Nq, written by rung 1 only */
    int heads;      /* query heads of the whole batch, at most 65535 */
    int group;      /* query heads that share one head of K and V */
    int Nq, Nk;
    int D;         /* columns: 32, 64, 128 or 256 */
    float scale;   /* finite */
    int offset;    /* query i sees keys j <= i + offset; from -Nq (no key) to
                      Nk (all keys) */
    void *scratch; /* scratch buffer of scratch_bytes(p) bytes (device.h) */
} rung_problem;

/* Starts the rung's kernels and returns without waiting for them. Returns 0 or
 * a cudaError_t, possibly that of an earlier kernel. Nq and heads are at least
 * 1. */
typedef int rung_fn(const rung_problem *p);

enum { HEAD_SIZES = 4 };
extern const int head_size[HEAD_SIZES]; /* 32, 64, 128, 256 */

/* Compute capabilities, times ten. */
enum { TURING = 75, AMPERE = 80, HOPPER = 90 };

/* What a rung requires of a GPU. host/device.h lists GPUs. */
typedef struct {
    int capability;      /* of the GPU: at least this; HOPPER: exactly this */
    int KiB[HEAD_SIZES]; /* shared memory of a block for each D of head_size,
                            rounded up; 0: the rung is not compiled for D */
} demand;

typedef struct {
    const char *number, *name; /* "5a", "sliced_k" */
    const char *idea;
    precision type; /* default type of Q, K, V and O */
    bool fp16;      /* true if the rung also runs in fp16 */
    bool fp8;       /* true if the products are of e4m3 numbers */
    demand needs;
    rung_fn *run;
    int Br[HEAD_SIZES];
    int Bc[HEAD_SIZES];
} rung;

static inline bool is_hopper(const rung *r)
{
    return r->needs.capability == HOPPER;
}

#ifdef __cplusplus
extern "C" {
#endif

/* The rungs in the order of the ladder. Rungs from FIRST_16_BIT on use tensor
 * cores. Rungs from FIRST_HOPPER on need a Hopper GPU. */
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

/* Returns FP16 if it is requested and r supports it, else r's default type. */
precision rung_type(const rung *r, precision requested);

/* Return the smallest D >= at_least (or 0), and the largest D, for which a rung
 * with this demand is compiled. */
int columns_for(const demand *n, size_t at_least);
int widest_of(const demand *n);

/* Returns rows[k] for D = head_size[k], or 0 if head_size does not have D. */
int rows_for(const int rows[HEAD_SIZES], int D);

static inline int rung_Br(const rung *r, int D)
{
    return rows_for(r->Br, D);
}
static inline int rung_Bc(const rung *r, int D)
{
    return rows_for(r->Bc, D);
}

/* fp8_quantise stores Q, K and V as e4m3 in p->scratch (fp8.h), from which
 * fp8_attend computes O and L. */
rung_fn fp8_quantise, fp8_attend;

/* Finds query tile t in the schedule of rungs 9 to 11, with tiles of 128 keys.
 * Stores the tile's head, its first query i0, and in `full` the number of tiles
 * of keys, from the first on, that need no mask. Returns the number of tiles of
 * keys. The schedule takes heads_in_L2 heads at a time; 0 selects the rungs'
 * number. */
int rung_roles_work(const rung_problem *p, int t, int heads_in_L2, int *head,
                    int *i0, int *full);

/* Returns the number of keys of a part that rung 12 chooses. */
int rung_split_kv_keys(const rung_problem *p, int multiprocessors);

/* Runs rung 12 with `keys` keys in a part, a multiple of the rung's Bc. */
int rung_split_kv_by(const rung_problem *p, int keys);

#ifdef __cplusplus
}
#endif
#endif
