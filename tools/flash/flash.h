/*
 * The library libflash computes attention on the CPU:
 *
 *     O = softmax(scale Q K^T) V       and its gradients
 *
 * The forward pass runs split_kv_simd for up to 16 queries. For bf16 it runs
 * flash2_amx on a CPU with AMX, and flash2_pairs on an AMD Zen 5. Otherwise it
 * runs flash2_simd. The backward pass runs backward_simd. The library has no
 * state, and any number of threads may call it at the same time. A process that
 * was forked after the library was loaded computes on one thread.
 *
 * Link with -lflash, or with the flags of `pkg-config --libs flash`.
 * docs/library.md
 */
#ifndef FLASH_H
#define FLASH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    FLASH_OK = 0,
    FLASH_NO_MEMORY = 1,
    FLASH_INVALID = 2 /* the message states the reason */
} flash_result;

enum { FLASH_TEXT = 160 }; /* bytes of an error message */

/* A bf16 is a uint16_t with the upper 16 bits of an fp32. */
typedef enum { FLASH_FP32 = 0, FLASH_BF16 = 1 } flash_type;

/* Initialise a problem with {.size = sizeof(flash_problem)}, so that all other
 * fields are 0. If a later version has more fields, 0 will be a default. */
typedef struct {
    size_t size;
    size_t B, Hq, Hk;     /* batches, query heads, key heads; Hq = n Hk */
    size_t Nq, Nk, d, dv; /* queries, keys, columns of Q and K, of V */
    flash_type type;      /* of q, k and v; gradients need FLASH_FP32 */
    flash_type o_type;    /* of o; gradients need FLASH_FP32 */
    int causal;           /* 1: query i sees only keys j <= i + Nk - Nq */
    size_t window;        /* only keys |i + Nk - Nq - j| < window; 0: all */
    float softcap;        /* c of the score c tanh(s / c); 0: no softcap */
    float scale;          /* factor of the scores; 0: 1 / sqrt(d) */
    int threads;          /* largest number; 0: OMP_NUM_THREADS or all cores */
} flash_problem;

/* An array with the axes batch, head, row and column. The rows of lse are the
 * queries, and lse has one column. */
typedef struct {
    void *data; /* float, or uint16_t for FLASH_BF16 */
    /* Strides in elements, which may be negative. If all four are 0, the array
     * is contiguous. */
    ptrdiff_t batch, head, row, column;
} flash_array;

/*
 * Computes o (B, Hq, Nq, dv) and lse (B, Hq, Nq) from q (B, Hq, Nq, d), k (B,
 * Hk, Nk, d) and v (B, Hk, Nk, dv). lse is the natural logarithm of the sum of
 * e^score. Query head h attends with key head h / (Hq / Hk). A query that sees
 * no key has o = 0 and lse = -inf. If lse.data is NULL, lse is not stored. An
 * array that is written must not overlap another array.
 *
 * Returns a flash_result. After an error the written arrays are undefined, and
 * text has a message. text is a buffer of FLASH_TEXT bytes, or NULL.
 *
 * flash2_amx and flash2_pairs round the weights to bf16; their products are
 * exact and are summed in fp32. Then the error of o can be 1% of the largest
 * |v|. The error of lse can be 0.01 with flash2_amx, and is that of fp32 with
 * flash2_pairs. Both take subnormal numbers in q, k, v and the sums as 0. AMX
 * is not used with a softcap, or with d or dv above 256; neither step is with
 * at most 64 keys. Where neither runs, the fp32 steps read bf16 and compute in
 * fp32.
 */
int flash_forward(const flash_problem *p, flash_array q, flash_array k,
                  flash_array v, flash_array o, flash_array lse, char *text);

/*
 * Like flash_forward, but batch b uses only the first keys[b] of the Nk keys.
 * The causal limit and the window use keys[b] instead of Nk. If keys is NULL,
 * all batches have Nk keys.
 */
int flash_decode(const flash_problem *p, const size_t *keys, flash_array q,
                 flash_array k, flash_array v, flash_array o, flash_array lse,
                 char *text);

/* The three inputs, or their gradients. */
typedef struct {
    flash_array q, k, v;
} flash_inputs;

/*
 * Computes the gradients of the loss with respect to in. o and lse are the
 * results of flash_forward, and grad_o is the gradient with respect to o.
 * Returns and reports errors as flash_forward does.
 */
int flash_backward(const flash_problem *p, flash_inputs in, flash_array o,
                   flash_array lse, flash_array grad_o, flash_inputs grad,
                   char *text);

#ifdef __cplusplus
}
#endif

#endif
