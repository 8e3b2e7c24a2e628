/*
 * The claims that every attention step keeps, forward and backward, as tests
 * named "step: claim". A chapter hands in its list of steps, so that a step
 * added to the list is a step that is tested:
 *
 *     return run_attention_tests("flash1", chapter_05_steps, NULL);
 *
 * Tolerances: attention_check.h.
 */
#ifndef COMMON_ATTENTION_CONTRACT_H
#define COMMON_ATTENTION_CONTRACT_H

#include "common/testing/attention_check.h"
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
    WEIGHTS_AGAIN = 1024,  /* computes P again: a weight of 0 keeps an infinite
                              K out, a dS of 0 does not */
    NARROW_WEIGHTS = 2048, /* P is rounded to what the head asks for */
    BACKWARD_ALONE = 4096  /* it is a forward step */
};

/* What one step is excused from. A list of them ends with a {0}. */
typedef struct {
    const char *step;
    unsigned from;
    size_t most_work; /* skips problems of more Nq Nk (d + dv); 0: none */
    size_t widest;    /* and of a larger d or dv */
} attention_excuse;

/*
 * Every claim for every step of a list that ends with a {0}, then the chapter's
 * own tests; excuses may be NULL. Gives main's exit code.
 */
int run_attention_tests(const char *name, const attention_step steps[],
                        const attention_excuse excuses[]);
int run_backward_tests(const char *name, const backward_step steps[],
                       const attention_excuse excuses[]);

/* Of the step that is asked: does it owe less, are these sizes too large? */
bool is_excused(unsigned from);
bool too_much(size_t Nq, size_t Nk, size_t d, size_t dv);

/*
 * A claim is most often a row: problems of one shape, or of several, of which
 * set_up makes what the claim is about, the k-th of so many. In tiles of six
 * sizes, or of others, the step must give what float64 does. Or else the claim
 * asks the step itself.
 */
typedef struct {
    const char *name;
    void (*ask)(const attention_step *s);
    void (*set_up)(attention_case *c, size_t k);
    size_t problems;
    case_filler *fill;
    size_t of[4]; /* Nq, Nk, d, dv */
    const size_t (*shapes)[4];
    tiles_fn *tiles;
    unsigned needs;
    bool causal_too; /* each problem twice: then the last query sees all */
} attention_claim;

/* Named as the function that it is made of; how: case_exact and the like. Most
 * are of NQ queries and NK keys, exact or of scores alone. */
#define ASKS(claim) .name = #claim, .ask = claim
#define PROBLEMS_OF(claim, n, how, ...)                                        \
    .name = #claim, .set_up = claim, .problems = n, .fill = how,               \
    .of = {__VA_ARGS__}
#define PROBLEMS(claim, n)  PROBLEMS_OF(claim, n, case_exact, NQ, NK, 4, 3)
#define OF_SCORES(claim, n) PROBLEMS_OF(claim, n, case_scores, NQ, NK, 1, 2)

/* attention_contract_sizes.c: what fits, and every ragged edge. */
extern const attention_claim size_claims[];
/* attention_contract_masks.c: what is not attended. */
extern const attention_claim mask_claims[];
/* attention_contract_limits.c: infinite, huge, tiny, and no numbers. */
extern const attention_claim limit_claims[];
/* attention_contract_scores.c: scale, softcap, peaked and flat rows. */
extern const attention_claim score_claims[];
/* attention_contract_variants.c: windows and the like. */
extern const attention_claim variant_claims[];
/* attention_contract_bits.c: what two runs have in common. */
extern const attention_claim bit_claims[];
/* attention_contract_memory.c: what is moved, kept and refused. */
extern const attention_claim memory_claims[];

#endif
