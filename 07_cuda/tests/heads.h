/* Functions that test several heads of one shape. Each head is a case with
 * expected results, and a rung computes all heads as one layer. */
#ifndef CUDA_TEST_HEADS_H
#define CUDA_TEST_HEADS_H

#include <stdlib.h>
#include <string.h>

#include "common/testing/attention_check.h"
#include "common/testing/layer_case.h"
#include "common/testing/run_tests.h"

#include "07_cuda/steps.h"

enum { MOST_HEADS = 16 };

/* If limit is true, query i sees keys j <= i + offset. */
typedef struct {
    size_t Nq, Nk, d, heads, group;
    bool limit;
    long offset;
} heads_problem;

typedef struct {
    const attention_step *step;
    size_t n, group;
    attention_case one[MOST_HEADS];
} heads_case;

/* Makes random heads. The heads of a group have the same K and V. */
static inline void heads_make(heads_case *h, const attention_step *step,
                              const heads_problem *p, uint64_t seed)
{
    size_t size = p->Nk * p->d * sizeof(float);

    h->step = step;
    h->n = p->heads;
    h->group = p->group;
    for (size_t n = 0; n < p->heads; n++) {
        attention_case *c = &h->one[n];
        const attention_case *first = &h->one[n / p->group * p->group];

        *c = case_of(p->Nq, p->Nk, p->d, p->d);
        case_random(c, seed + n);
        if (p->limit)
            case_causal(c, p->offset);
        if (c != first) {
            memcpy(c->h.K.hbm.data, first->h.K.hbm.data, size);
            memcpy(c->h.V.hbm.data, first->h.V.hbm.data, size);
        }
        case_expect(c, h->step);
    }
}

static inline void heads_free(heads_case *h)
{
    for (size_t n = 0; n < h->n; n++)
        case_free(&h->one[n]);
}

/* Fails unless O and L of the layer are right. Frees the layer. */
static inline void heads_check(heads_case *h, layer_case *together)
{
    layer_to_cases(together, h->one);
    for (size_t n = 0; n < h->n; n++)
        case_check(&h->one[n], h->step);
}

/* Fails unless O and L are right and the counts equal the step's formula. */
static inline void heads_run(heads_case *h, const attention_step *step)
{
    layer_case together = layer_of_cases(h->one, h->n, h->group);
    memory mem;

    h->step = step;
    memory_init(&mem, 0);
    assert_int_equal(step->run_layer(step, &together.l, &mem), 0);
    if (step->layer_formula) {
        counts got = mem.counts, want = step->layer_formula(step, &together.l);

        if (got.read[ALGORITHM] != want.read[ALGORITHM] ||
            got.written[ALGORITHM] != want.written[ALGORITHM])
            fail_msg("%s: counted %zu read, %zu written; by formula %zu, %zu",
                     step->name, got.read[ALGORITHM], got.written[ALGORITHM],
                     want.read[ALGORITHM], want.written[ALGORITHM]);
    }
    heads_check(h, &together);
}

/* Runs rungs first .. last - 1 on the problem, except fp8 and too narrow rungs.
 * Computes the float64 result once for rungs of the same type. */
static inline void heads_run_rungs(int first, int last, const heads_problem *p,
                                   uint64_t seed)
{
    heads_case h = {0};

    for (int r = first; r < last; r++) {
        const attention_step *step = step_of(r, BF16);

        if (ladder[r].fp8 || !columns_for(&ladder[r].needs, p->d))
            continue;
        if (!h.step || h.step->type != step->type) {
            heads_free(&h);
            heads_make(&h, step, p, seed);
        }
        heads_run(&h, step);
    }
    heads_free(&h);
}

#endif
