/*
 * Problems of several tiles, for which the stages of the Hopper rungs go
 * round: right against float64, and the bytes that are counted are those of
 * the closed form.
 */
#ifndef CUDA_TEST_HOPPER_H
#define CUDA_TEST_HOPPER_H

#include <string.h>

#include "common/testing/attention_check.h"
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
    head heads[4];
    counts want = {0};
    memory mem;

    memory_init(&mem, 0);
    for (size_t n = 0; n < p->heads; n++) {
        c[n] = case_of(p->Nq, p->Nk, p->d, p->d);
        case_random(&c[n], seed + n);
        if (p->limit)
            case_causal(&c[n], p->offset);
        if (n % 2) {
            memcpy(c[n].h.K.hbm.data, heads[n - 1].K.hbm.data,
                   p->Nk * p->d * sizeof(float));
            memcpy(c[n].h.V.hbm.data, heads[n - 1].V.hbm.data,
                   p->Nk * p->d * sizeof(float));
        }
        case_expect(&c[n], &subject);
        heads[n] = c[n].h;
        if (n % 2) {
            heads[n].K = heads[n - 1].K;
            heads[n].V = heads[n - 1].V;
        }
    }
    assert_int_equal(step->run_heads(heads, p->heads, &mem), 0);
    for (size_t n = 0; n < p->heads; n++) {
        counts one = {0};

        if (step->formula)
            one = step->formula(&heads[n], (tile_sizes){0});
        counts_add(&want, &one);
        case_check(&c[n], &subject);
        case_free(&c[n]);
    }
    if (!step->formula)
        return;
    if (mem.counts.read[ALGORITHM] != want.read[ALGORITHM] ||
        mem.counts.written[ALGORITHM] != want.written[ALGORITHM])
        fail_msg("%s: counted %zu read, %zu written; by formula %zu, %zu",
                 step->name, mem.counts.read[ALGORITHM],
                 mem.counts.written[ALGORITHM], want.read[ALGORITHM],
                 want.written[ALGORITHM]);
}

#endif
