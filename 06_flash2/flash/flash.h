/*
 * libflash: attention on the CPU, for any program.
 *
 *     O = softmax(scale Q K^T) V       and its gradients
 *
 * The forward pass runs flash2_simd; for few queries split_kv_simd; for bf16 on
 * a CPU with AMX flash2_amx. The backward pass runs backward_simd (chapter 06).
 * Each call chooses the fastest code that this CPU runs. The library has no
 * state, and any number of threads may call it at the same time.
 *
 * Link with -lflash, or ask pkg-config. docs/library.md
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
    FLASH_INVALID = 2 /* the problem or an array: the text names it */
} flash_result;

enum { FLASH_TEXT = 160 }; /* bytes of an error message */

/* A bf16 is the upper half of an fp32, as a uint16_t. */
typedef enum { FLASH_FP32 = 0, FLASH_BF16 = 1 } flash_type;

/*
 * A problem. Initialise it with {.size = sizeof(flash_problem)}. The comments
 * give the meaning of 0. Fields that a later version adds will have a default
 * for 0, too.
 */
typedef struct {
    size_t size;
    size_t B, Hq, Hk;     /* batch, query heads, key heads; Hq = n Hk */
    size_t Nq, Nk, d, dv; /* queries, keys, columns of Q and K, of V */
    flash_type type;      /* of q, k and v; gradients need FLASH_FP32 */
    flash_type o_type;    /* of o; gradients need FLASH_FP32 */
    int causal;           /* query i sees keys j <= i + Nk - Nq */
    size_t window;        /* and |i + Nk - Nq - j| < window; 0: all */
    float softcap;        /* s = c tanh(s / c); 0: none */
    float scale;          /* factor of the scores; 0: 1 / sqrt(d) */
    int threads;          /* largest number; 0: all cores */
} flash_problem;

/*
 * An array of four axes: batch, head, row, column. The strides are in elements
 * and may be negative. If all are 0 the array is contiguous. The rows of lse
 * are the queries, and it has one column. data: float, or uint16_t for
 * FLASH_BF16.
 */
typedef struct {
    void *data;
    ptrdiff_t batch, head, row, column;
} flash_array;

/*
 * Computes o (B, Hq, Nq, dv) and lse (B, Hq, Nq), the natural logarithm of the
 * sum of e^score, from q (B, Hq, Nq, d), k (B, Hk, Nk, d) and v (B, Hk, Nk,
 * dv). Query head h attends with key head h / (Hq / Hk). A query that sees no
 * key has o = 0 and lse = -inf. lse may have no data. text: FLASH_TEXT bytes
 * for an error message, or NULL. No array may overlap one that is written.
 * After an error the written arrays are undefined.
 *
 * Products of bf16 inputs are exact and summed in fp32. With AMX the weights
 * are rounded to bf16, too: the error of o can be 1% of the largest |v|, that
 * of lse 0.01. With a softcap, d or dv above 256, at most 16 queries, or a CPU
 * without AMX, the fp32 steps run on inputs converted to fp32.
 */
int flash_forward(const flash_problem *p, flash_array q, flash_array k,
                  flash_array v, flash_array o, flash_array lse, char *text);

/*
 * The same for a batch whose caches of Nk keys are filled unevenly: entry b has
 * keys[b] keys, and its last query belongs to the last of them. keys NULL: all
 * entries have Nk.
 */
int flash_decode(const flash_problem *p, const size_t *keys, flash_array q,
                 flash_array k, flash_array v, flash_array o, flash_array lse,
                 char *text);

/* The three inputs, or their gradients. */
typedef struct {
    flash_array q, k, v;
} flash_inputs;

/*
 * Computes grad, with the shapes of in, from the o and lse of flash_forward and
 * grad_o, the gradient of the loss with respect to o. Errors as above.
 */
int flash_backward(const flash_problem *p, flash_inputs in, flash_array o,
                   flash_array lse, flash_array grad_o, flash_inputs grad,
                   char *text);

#ifdef __cplusplus
}
#endif

#endif
