/*
 * Batch and heads: runs any kernel for one head over a whole layer.
 *
 * Query head h attends with key head h / (Hq / Hk):
 *     Hk = Hq   multi-head attention (MHA)
 *     Hk = 1    multi-query attention (MQA): all heads share K and V
 *     between   grouped-query attention (GQA)
 */
#ifndef COMMON_HEADS_H
#define COMMON_HEADS_H

#include "common/head.h"

typedef struct {
    size_t B, Hq, Hk; /* Hq a multiple of Hk; both 0, or neither */
    size_t Nq, Nk, d, dv;
    float *Q;              /* B x Hq x Nq x d */
    float *K;              /* B x Hk x Nk x d */
    float *V;              /* B x Hk x Nk x dv */
    float *mask;           /* mask_B x mask_H x Nq x Nk, or NULL */
    size_t mask_B, mask_H; /* 1 or B, 1 or Hq: 1 serves all */
    float *O;              /* B x Hq x Nq x dv, written */
    float *L;              /* B x Hq x Nq, written */
    float scale, softcap;  /* as in head.h, and all that follows */
    bool causal;
    long offset; /* any; a head gets what of it makes a difference */
    size_t Br, Bc;
    precision stored, P;
} attention_problem;

/* How many heads there are to run: B Hq, or 0 where O and L are empty. */
size_t heads_of(const attention_problem *p);

/* Query head nth % Hq of batch entry nth / Hq. */
head head_at(const attention_problem *p, size_t nth);

/*
 * O and L of every head by that step, one head after another, or by the step's
 * own run_heads. Returns mem->error. Afterwards mem->tiles, scratch and extra
 * are the most that one head (or one thread's job) had, and the counts the sum
 * over the heads. The caller resets mem.
 */
int heads_run(const attention_problem *p, const attention_step *step,
              memory *mem);

/*
 * The step's closed form, summed over the heads, with M elements on chip.
 * step->formula must not be NULL.
 */
counts heads_formula(const attention_problem *p, const attention_step *step,
                     size_t M);

#endif
