/*
 * Problems of several tiles, for which the stages of the Hopper rungs go
 * round: right against float64, and the bytes that are counted are those of
 * the closed form.
 */
#ifndef CUDA_TEST_HOPPER_H
#define CUDA_TEST_HOPPER_H

#include <string.h>

#include "common/testing/attention_check.h"
#include "common/testing/layer_case.h"
#include "common/testing/run_tests.h"

#include "07_cuda/steps.h"

/* Those in bf16. */
static inline const attention_step *hopper_steps(void)
{
    static attention_step steps[RUNGS + 1];

    for (int r = FIRST_HOPPER, n = 0; r < RUNGS; r++)
        if (!ladder[r].fp8)
            steps[n++] = ladder_steps(BF16)[r];
    return steps;
}

/* With a limit, query i sees keys up to i + offset; heads share K and V in
 * pairs. */
typedef struct {
    size_t Nq, Nk, d;
    bool limit;
    long offset;
    size_t heads;
} hopper_problem;

static void check_problem(const attention_step *step, const hopper_problem *p,
                          uint64_t seed)
{
    attention_subject subject = {.step = step};
    attention_case c[4];
    layer_case together;
    counts want = {0};
    memory mem;

    memory_init(&mem, 0);
    for (size_t n = 0; n < p->heads; n++) {
        c[n] = case_of(p->Nq, p->Nk, p->d, p->d);
        case_random(&c[n], seed + n);
        if (p->limit)
            case_causal(&c[n], p->offset);
        if (n % 2) {
            memcpy(c[n].h.K.hbm.data, c[n - 1].h.K.hbm.data,
                   p->Nk * p->d * sizeof(float));
            memcpy(c[n].h.V.hbm.data, c[n - 1].h.V.hbm.data,
                   p->Nk * p->d * sizeof(float));
        }
        case_expect(&c[n], &subject);
    }
    together = layer_of_cases(c, p->heads, p->heads % 2 ? 1 : 2);
    assert_int_equal(step->run_layer(step, &together.l, &mem), 0);
    if (step->layer_formula)
        want = step->layer_formula(step, &together.l);
    layer_to_cases(&together, c);
    for (size_t n = 0; n < p->heads; n++) {
        case_check(&c[n], &subject);
        case_free(&c[n]);
    }
    if (!step->layer_formula)
        return;
    if (mem.counts.read[ALGORITHM] != want.read[ALGORITHM] ||
        mem.counts.written[ALGORITHM] != want.written[ALGORITHM])
        fail_msg("%s: counted %zu read, %zu written; by formula %zu, %zu",
                 step->name, mem.counts.read[ALGORITHM],
                 mem.counts.written[ALGORITHM], want.read[ALGORITHM],
                 want.written[ALGORITHM]);
}

#endif
