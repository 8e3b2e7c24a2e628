/*
 * The claims that every attention step keeps, forward and backward, as tests
 * named "step: claim". A chapter hands in its list of steps, so that a step
 * added to the list is a step that is tested:
 *
 *     return run_attention_tests("flash1", chapter_05_steps, NULL, tests,
 *                                sizeof tests / sizeof tests[0]);
 *
 * Tolerances: attention_check.h, and backward gradient_case.h.
 */
#ifndef COMMON_ATTENTION_CONTRACT_H
#define COMMON_ATTENTION_CONTRACT_H

#include "common/testing/gradient_case.h"
#include "common/testing/run_tests.h"

/* What a claim needs, and what a step can be excused from. */
enum {
    MASKS = 1,      /* takes an additive mask */
    SOFTCAPS = 2,   /* takes a softcap */
    OWN_LIMITS = 4, /* a NaN in V stays out of all rows that do not attend
                          to it, not only of those whose tile misses it */
    SAME_BITS = 8,  /* a row's bits do not depend on later keys */
    /* Of these a step is excused by what it is. */
    FP32_ALONE = 16,     /* its type is not FP32 */
    COUNTED_ALONE = 32,  /* it has no formula */
    HEADS_AT_ONCE = 64,  /* it has no run_layer */
    VALUES_ALONE = 128,  /* V is in K: what is there is in scores, too */
    WEIGHTS_TO_1 = 256,  /* a weight may exceed 1 */
    FORWARD_ALONE = 512, /* it is a backward step */
    /* Of these a backward step can be excused. */
    WEIGHTS_AGAIN = 1024, /* makes P again, and has it beside dS: a weight of 0
                             keeps an infinite K out, a dS of 0 does not */
    NARROW_WEIGHTS = 2048 /* P is rounded to what the head asks for */
};

/* What one step is excused from. A list of them ends with a {0}. */
typedef struct {
    const char *step;
    unsigned from;
    size_t most_work; /* skips problems of more Nq Nk (d + dv); 0: none */
} attention_excuse;

/*
 * Every claim for every step of a list that ends with a {0}, then n tests of
 * the chapter's own; excuses may be NULL. Gives main's exit code.
 */
int run_attention_tests(const char *name, const attention_step steps[],
                        const attention_excuse excuses[],
                        const struct CMUnitTest own[], size_t n);

/* The same for backward steps: the claims of both ways, and their own. */
int run_gradient_tests(const char *name, const backward_step steps[],
                       const attention_excuse excuses[],
                       const struct CMUnitTest own[], size_t n);

/* A claim. Its state is an attention_subject. */
typedef struct {
    const char *name;
    CMUnitTestFunction run;
    unsigned needs;
} attention_claim;

#define CLAIM(claim, needs)                                                    \
    {                                                                          \
#claim, claim, needs                                                   \
    }

/* attention_contract_sizes.c: what fits, and every ragged edge. */
extern const attention_claim size_claims[];
/* attention_contract_masks.c: what is not attended. */
extern const attention_claim mask_claims[];
/* attention_contract_limits.c: infinite, huge, tiny, and no numbers. */
extern const attention_claim limit_claims[];
/* attention_contract_scores.c: scale, softcap, peaked and flat rows. */
extern const attention_claim score_claims[];
/* attention_contract_laws.c: what two runs have in common. */
extern const attention_claim law_claims[];
/* attention_contract_bits.c: what agrees bit for bit. */
extern const attention_claim bit_claims[];
/* attention_contract_memory.c: what is moved, kept and refused. */
extern const attention_claim memory_claims[];
/* attention_contract_variants.c: windows and the like. */
extern const attention_claim variant_claims[];
/* gradient_contract.c: where a NaN goes, what is left at 0. */
extern const attention_claim gradient_claims[];
/* gradient_contract_laws.c: what is known without float64. */
extern const attention_claim gradient_law_claims[];
/* gradient_contract_memory.c: what is moved, kept and refused. */
extern const attention_claim gradient_memory_claims[];

#endif
