/*
 * Tests that every attention step, forward or backward, must pass. Their names
 * are "STEP: NAME". A chapter passes its table of steps, so that a step that
 * is added to the table is also tested:
 *
 *     return run_attention_tests("flash1", chapter_05_steps, NULL);
 */
#ifndef COMMON_ATTENTION_CONTRACT_H
#define COMMON_ATTENTION_CONTRACT_H

#include "common/testing/attention_check.h"
#include "common/testing/run_tests.h"

/* Properties of a step that a test needs. A step without one of them is
 * excused from the test: it does not run. */
enum {
    MASKS = 1,
    SOFTCAPS = 2,
    OWN_LIMITS = 4, /* a NaN in V reaches only rows that attend to its
                              key, not all rows of a tile that loads the key */
    SAME_BITS = 8,  /* later keys do not change the bits of a row */
    FP32_ALONE = 16,
    COUNTED_ALONE = 32,
    HEADS_AT_ONCE = 64, /* has run_layer or run_heads */
    VALUES_ALONE = 128, /* V is not a part of K: V does not change scores */
    WEIGHTS_TO_1 = 256, /* no weight exceeds 1 */
    FORWARD_ALONE = 512,
    WEIGHTS_AGAIN = 1024,  /* a backward step that recomputes P: a weight of 0
                              excludes an infinite K, but a dS of 0 does not */
    NARROW_WEIGHTS = 2048, /* a backward step that rounds P to P_type */
    BACKWARD_ALONE = 4096
};

/* The excuses of one step: the properties that it does not have. The properties
 * that follow from its kind are added. A list of excuses ends with a {0}. */
typedef struct {
    const char *step;
    unsigned from;
    size_t most_work; /* skip problems with more Nq Nk (d + dv); 0: no limit */
    size_t widest;    /* skip problems with a larger d or dv; 0: no limit */
} attention_excuse;

/*
 * Runs the tests for every step of a list that ends with a {0}, then the
 * chapter's own tests. excuses may be NULL. Returns main's exit code.
 */
int run_attention_tests(const char *name, const attention_step steps[],
                        const attention_excuse excuses[]);
int run_backward_tests(const char *name, const backward_step steps[],
                       const attention_excuse excuses[]);

/* True if the step of the running test is excused from one of the flags. */
bool is_excused(unsigned from);

/* Returns one_in(n) for a step with a limit of work or if is_short(), else 1. */
size_t one_in_if_slow(size_t n);

/* True if the step of the running test skips problems of these sizes. */
bool too_much(size_t Nq, size_t Nk, size_t d, size_t dv);

/*
 * A test is either a function `check`, or a number of problems. fill and then
 * set_up make problem k, of shape `of` or of shapes[k]. The step's results must
 * be within the tolerances of float64 for all sizes of `tiles` (six_sizes if
 * NULL).
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
    bool causal_too; /* also run each problem causally, with offset Nk - Nq */
} attention_test;

/* Make a test with the name of its function. `how` is the case_filler. The
 * problems of PROBLEMS and OF_SCORES have NQ queries and NK keys. */
#define CHECK(test) .name = #test, .check = test
#define PROBLEMS_OF(test, n, how, ...)                                         \
    .name = #test, .set_up = test, .problems = n, .fill = how,                 \
    .of = {__VA_ARGS__}
#define PROBLEMS(test, n)  PROBLEMS_OF(test, n, case_exact, NQ, NK, 4, 3)
#define OF_SCORES(test, n) PROBLEMS_OF(test, n, case_scores, NQ, NK, 1, 2)

/* Each list ends with a {0}; the files are attention_contract_KIND.c. */
extern const attention_test size_tests[], mask_tests[], limit_tests[],
    score_tests[], variant_tests[], bit_tests[], memory_tests[];

#endif
