/*
 * Heads of one shape, of which each `group` share K and V: as cases, each with
 * what is right, and as the layer that a rung is given.
 */
#ifndef CUDA_TEST_HEADS_H
#define CUDA_TEST_HEADS_H

#include <stdlib.h>
#include <string.h>

#include "common/testing/attention_check.h"
#include "common/testing/layer_case.h"
#include "common/testing/run_tests.h"

#include "07_cuda/steps.h"

enum { MOST_HEADS = 16 };

/* With a limit, query i sees keys up to i + offset. */
typedef struct {
    size_t Nq, Nk, d, heads, group;
    bool limit;
    long offset;
} heads_problem;

typedef struct {
    attention_subject subject;
    attention_case one[MOST_HEADS];
    layer_case together;
} heads_case;

static inline void heads_make(heads_case *h, const attention_step *step,
                              const heads_problem *p, uint64_t seed)
{
    size_t size = p->Nk * p->d * sizeof(float);

    h->subject = (attention_subject){.step = step};
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
        case_expect(c, &h->subject);
    }
    h->together = layer_of_cases(h->one, p->heads, p->group);
}

/* O and L of the layer are right. Frees all. */
static inline void heads_check(heads_case *h)
{
    layer_to_cases(&h->together, h->one);
    for (size_t n = 0; n < h->together.n; n++) {
        case_check(&h->one[n], &h->subject);
        case_free(&h->one[n]);
    }
}

/* The layer by the step: right, and the bytes of the formula, if it has one. */
static inline void check_heads(const attention_step *step,
                               const heads_problem *p, uint64_t seed)
{
    heads_case h;
    counts want = {0};
    memory mem;

    heads_make(&h, step, p, seed);
    memory_init(&mem, 0);
    assert_int_equal(step->run_layer(step, &h.together.l, &mem), 0);
    if (step->layer_formula)
        want = step->layer_formula(step, &h.together.l);
    heads_check(&h);
    if (step->layer_formula &&
        (mem.counts.read[ALGORITHM] != want.read[ALGORITHM] ||
         mem.counts.written[ALGORITHM] != want.written[ALGORITHM]))
        fail_msg("%s: counted %zu read, %zu written; by formula %zu, %zu",
                 step->name, mem.counts.read[ALGORITHM],
                 mem.counts.written[ALGORITHM], want.read[ALGORITHM],
                 want.written[ALGORITHM]);
}

/* The layer six times: right, and each time the same bits. */
static inline void check_schedules(const attention_step *step,
                                   const heads_problem *p, uint64_t seed)
{
    size_t rows = p->heads * p->Nq, bytes = rows * p->d * sizeof(float);
    float *first = case_block(bytes, 1);
    float *first_L = case_block(rows, sizeof(float));
    const float *L;
    heads_case h;
    memory mem;

    heads_make(&h, step, p, seed);
    memory_init(&mem, 0);
    for (int schedule = 0; schedule < 6; schedule++) {
        assert_int_equal(step->run_layer(step, &h.together.l, &mem), 0);
        L = h.together.L;
        if (schedule == 0) {
            memcpy(first, h.together.O, bytes);
            memcpy(first_L, L, rows * sizeof(float));
        }
        if (memcmp(first, h.together.O, bytes) != 0 ||
            memcmp(first_L, L, rows * sizeof(float)) != 0)
            fail_msg("%s, %zu queries, %zu keys, d %zu: O or L of schedule %d "
                     "differs from that of schedule 0",
                     step->name, p->Nq, p->Nk, p->d, schedule);
    }
    heads_check(&h);
    free(first);
    free(first_L);
}

#endif
