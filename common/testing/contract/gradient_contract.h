/*
 * The claims that every backward step keeps, as tests named "step: claim", as
 * attention_contract.h does it for the forward steps.
 *
 * Tolerances: gradient_case.h.
 */
#ifndef COMMON_GRADIENT_CONTRACT_H
#define COMMON_GRADIENT_CONTRACT_H

#include "common/testing/gradient_case.h"
#include "common/testing/run_tests.h"

/* What a claim needs, and what a step can be excused from. */
enum {
    COUNTED = 1,        /* it has a formula */
    WEIGHTS_AGAIN = 2,  /* it makes P again, and has it beside dS: a weight of 0
                           keeps an infinite K out, a dS of 0 does not */
    NARROW_WEIGHTS = 4, /* P is rounded to what the head asks for */
    ALL_HEADS = 8       /* it has run_heads */
};

typedef struct {
    const char *step;
    unsigned from;
} gradient_excuse;

/*
 * Every claim for every step of a list that ends with a {0}, then n tests of
 * the chapter's own; excuses end with a {0}, or are NULL. Gives main's exit
 * code.
 */
int run_gradient_tests(const char *name, const backward_step steps[],
                       const gradient_excuse excuses[],
                       const struct CMUnitTest own[], size_t n);

/* A claim. Its state is a gradient_subject. */
typedef struct {
    const char *name;
    CMUnitTestFunction run;
    unsigned needs;
} gradient_claim;

#define GRADIENT_CLAIM(claim, needs)                                           \
    {                                                                          \
#claim, claim, needs                                                   \
    }

/* gradient_contract_sizes.c: what fits, and every ragged edge. */
extern const gradient_claim gradient_size_claims[];
/* gradient_contract_masks.c: what is not attended, infinite, or no number. */
extern const gradient_claim gradient_mask_claims[];
/* gradient_contract_laws.c: what is known without float64. */
extern const gradient_claim gradient_law_claims[];
/* gradient_contract_memory.c: what is moved, kept and refused. */
extern const gradient_claim gradient_memory_claims[];
/* gradient_contract_variants.c: windows and the like. */
extern const gradient_claim gradient_variant_claims[];

#endif
