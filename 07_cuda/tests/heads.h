/* Heads of one shape: cases with expected results, and together a layer. */
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

static inline layer_case heads_together(const heads_case *h)
{
    return layer_of_cases(h->one, h->n, h->group);
}

/* Fails unless O and L are right. Frees the layer. */
static inline void heads_check(heads_case *h, layer_case *together)
{
    layer_to_cases(together, h->one);
    for (size_t n = 0; n < h->n; n++)
        case_check(&h->one[n], h->step);
}

/* Fails unless O and L are right and the counts equal the step's formula. */
static inline void heads_run(heads_case *h, const attention_step *step)
{
    layer_case together = heads_together(h);
    counts want = {0};
    memory mem;

    h->step = step;
    memory_init(&mem, 0);
    assert_int_equal(step->run_layer(step, &together.l, &mem), 0);
    if (step->layer_formula)
        want = step->layer_formula(step, &together.l);
    heads_check(h, &together);
    if (step->layer_formula &&
        (mem.counts.read[ALGORITHM] != want.read[ALGORITHM] ||
         mem.counts.written[ALGORITHM] != want.written[ALGORITHM]))
        fail_msg("%s: counted %zu read, %zu written; by formula %zu, %zu",
                 step->name, mem.counts.read[ALGORITHM],
                 mem.counts.written[ALGORITHM], want.read[ALGORITHM],
                 want.written[ALGORITHM]);
}

#endif
