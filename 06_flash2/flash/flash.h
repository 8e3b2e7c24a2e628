/*
 * libflash: attention on the CPU, for any program.
 *
 *     O = softmax(scale Q K^T) V       and its gradients
 *
 * The forward pass runs flash2_simd, or split_kv_simd for few queries, or for
 * bf16 flash2_amx where the CPU has AMX. The backward pass runs backward_simd
 * (chapter 06). Each call chooses the fastest code that this CPU runs. Nothing
 * is kept between calls, and any number of threads may call at once.
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
    FLASH_INVALID = 2 /* the problem or an array: the text says which */
} flash_result;

enum { FLASH_TEXT = 160 }; /* bytes of an error's text */

/* A bf16 is the upper half of an fp32, as a uint16_t. */
typedef enum { FLASH_FP32 = 0, FLASH_BF16 = 1 } flash_type;

/*
 * A problem. Begin with {.size = sizeof(flash_problem)}: what is 0 then is as
 * it says here, also in what a later version adds.
 */
typedef struct {
    size_t size;
    size_t B, Hq, Hk;     /* batch, query heads, key heads; Hq = n Hk */
    size_t Nq, Nk, d, dv; /* queries, keys, columns of Q and K, of V */
    flash_type type;      /* of q, k and v; gradients need FLASH_FP32 */
    flash_type o_type;    /* of o, likewise */
    int causal;           /* query i sees keys j <= i + Nk - Nq */
    size_t window;        /* and |i + Nk - Nq - j| < window; 0: all */
    float softcap;        /* s = c tanh(s / c); 0: none */
    float scale;          /* of the scores; 0: 1 / sqrt(d) */
    int threads;          /* at most; 0: all cores */
} flash_problem;

/*
 * An array of four axes: batch, head, row, column. The strides are in elements,
 * of any sign; all 0: the array is contiguous. The rows of an lse are the
 * queries, and it has one column. data: float, or uint16_t for FLASH_BF16.
 */
typedef struct {
    void *data;
    ptrdiff_t batch, head, row, column;
} flash_array;

/*
 * o (B, Hq, Nq, dv) and lse (B, Hq, Nq), the natural logarithm of the sum of
 * e^score, from q (B, Hq, Nq, d), k (B, Hk, Nk, d) and v (B, Hk, Nk, dv). Query
 * head h takes key head h / (Hq / Hk). A query that sees no key gives o = 0 and
 * lse = -inf. lse may have no data. text: FLASH_TEXT bytes for what went wrong,
 * or NULL. No array may overlap one that is written; on an error these hold
 * anything.
 *
 * bf16 inputs are multiplied exactly and summed in fp32. On AMX the weights are
 * rounded to bf16 too, so o may be off by 1% of the largest |v|; lse by 0.01.
 * Softcaps, d or dv above 256, at most 16 queries, and CPUs without AMX take
 * the fp32 steps, on inputs widened to fp32.
 */
int flash_forward(const flash_problem *p, flash_array q, flash_array k,
                  flash_array v, flash_array o, flash_array lse, char *text);

/*
 * The same for a batch whose caches of Nk keys are filled unevenly: entry b has
 * keys[b] of them, and its last query is the newest. keys NULL: all Nk.
 */
int flash_decode(const flash_problem *p, const size_t *keys, flash_array q,
                 flash_array k, flash_array v, flash_array o, flash_array lse,
                 char *text);

/* The three inputs, or their gradients. */
typedef struct {
    flash_array q, k, v;
} flash_inputs;

/*
 * grad, shaped as in, from the o and lse that flash_forward gave and how the
 * loss changes with o, grad_o. Errors as above.
 */
int flash_backward(const flash_problem *p, flash_inputs in, flash_array o,
                   flash_array lse, flash_array grad_o, flash_inputs grad,
                   char *text);

#ifdef __cplusplus
}
#endif

#endif
