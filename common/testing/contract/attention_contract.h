/*
 * Tests that every attention step, forward or backward, must pass. They are
 * named "step: claim". A chapter passes its table of steps, so a step that is
 * added to the table is tested, too:
 *
 *     return run_attention_tests("flash1", chapter_05_steps, NULL);
 *
 * Tolerances: attention_check.h.
 */
#ifndef COMMON_ATTENTION_CONTRACT_H
#define COMMON_ATTENTION_CONTRACT_H

#include "common/testing/attention_check.h"
#include "common/testing/run_tests.h"

/* What a claim needs of a step. A step without it is excused from the claim. */
enum {
    MASKS = 1,      /* the step supports an additive mask */
    SOFTCAPS = 2,   /* the step supports a softcap */
    OWN_LIMITS = 4, /* a NaN in V reaches only rows that attend to its key, not
                       all rows of a tile that loads it */
    SAME_BITS = 8,  /* later keys do not change the bits of a row */
    /* Excused because of the step's kind: */
    FP32_ALONE = 16,     /* steps whose type is not FP32 */
    COUNTED_ALONE = 32,  /* steps without a formula */
    HEADS_AT_ONCE = 64,  /* steps without run_layer or run_heads */
    VALUES_ALONE = 128,  /* steps with V in K: a change of V changes scores */
    WEIGHTS_TO_1 = 256,  /* steps in which a weight may exceed 1 */
    FORWARD_ALONE = 512, /* backward steps */
    /* A backward step can be excused from these: */
    WEIGHTS_AGAIN = 1024,  /* the step recomputes P: a weight of 0 excludes an
                              infinite K, but a dS of 0 does not */
    NARROW_WEIGHTS = 2048, /* the step rounds P to the head's P_type */
    BACKWARD_ALONE = 4096  /* forward steps are excused */
};

/* The excuses of one step. A list of them ends with a {0}. */
typedef struct {
    const char *step;
    unsigned from;
    size_t most_work; /* skip problems with more Nq Nk (d + dv); 0: none */
    size_t widest;    /* skip problems with a larger d or dv; 0: none */
} attention_excuse;

/*
 * Runs every claim for every step of a list that ends with a {0}, then the
 * chapter's own tests. excuses may be NULL. Returns main's exit code.
 */
int run_attention_tests(const char *name, const attention_step steps[],
                        const attention_excuse excuses[]);
int run_backward_tests(const char *name, const backward_step steps[],
                       const attention_excuse excuses[]);

/* True if the step of the running test has one of the excuses, or if these
 * sizes are too large for it. */
bool is_excused(unsigned from);
bool too_much(size_t Nq, size_t Nk, size_t d, size_t dv);

/*
 * A claim is either a function `check`, or a number of problems. fill and then
 * set_up make problem k, of one shape or of shapes[k]. For each of the tile
 * sizes (six_sizes if NULL) the step's results must be those of float64.
 */
typedef struct {
    const char *name;
    void (*check)(const attention_step *s);
    void (*set_up)(attention_case *c, size_t k);
    size_t problems;
    case_filler *fill;
    size_t of[4]; /* Nq, Nk, d, dv */
    const size_t (*shapes)[4];
    tiles_fn *tiles;
    unsigned needs;
    bool causal_too; /* runs each problem twice, also with offset Nk - Nq */
} attention_claim;

/* A claim has the name of its function. how: the filler, such as case_exact.
 * PROBLEMS and OF_SCORES have NQ queries and NK keys. */
#define CHECK(claim) .name = #claim, .check = claim
#define PROBLEMS_OF(claim, n, how, ...)                                        \
    .name = #claim, .set_up = claim, .problems = n, .fill = how,               \
    .of = {__VA_ARGS__}
#define PROBLEMS(claim, n)  PROBLEMS_OF(claim, n, case_exact, NQ, NK, 4, 3)
#define OF_SCORES(claim, n) PROBLEMS_OF(claim, n, case_scores, NQ, NK, 1, 2)

/* The claims of attention_contract_sizes.c, _masks.c and so on. */
extern const attention_claim size_claims[], mask_claims[], limit_claims[],
    score_claims[], variant_claims[], bit_claims[], memory_claims[];

#endif
