/*
 * attention_contract.h for a list of rungs. What they are excused from is the
 * same for all: a mask and a softcap are refused, the tiles are the rung's
 * own, and a NaN in V reaches all queries whose tile loads it, since 0 times
 * NaN is NaN on tensor cores too.
 */
#ifndef CUDA_TEST_LADDER_H
#define CUDA_TEST_LADDER_H

#include <string.h>

#include "common/testing/contract/attention_contract.h"

#include "07_cuda/host/device.h"
#include "07_cuda/tests/no_findings.h"
#include "07_cuda/steps.h"

/* Rungs first .. last - 1, in that type of 16 bits where they have it, then the
 * tests; without rung 11, whose error test_fp8.c checks. */
static int run_ladder_tests(const char *name, precision type, int first,
                            int last)
{
    attention_excuse excuses[RUNGS + 1] = {0};
    attention_step steps[RUNGS + 1] = {0};

    for (int i = 0, r = first; r < last; r++) {
        size_t widest = (size_t)widest_here(&ladder[r].needs);

        print_left_out(stdout, ladder[r].name, &ladder[r].needs);
        if (ladder[r].fp8 || !widest)
            continue;
        steps[i] = *step_of(r, type);
        /* Tensor cores do more in the same time, on the CPU as well. */
        excuses[i] = (attention_excuse){
            steps[i].name, MASKS | SOFTCAPS | OWN_LIMITS | COUNTED_ALONE,
            steps[i].type == FP32 ? 600000 : 5000000, widest};
        /* Every later tile divides by l and multiplies by it again; more keys
         * are cut into other parts. */
        if (strcmp(steps[i].name, "flash1") == 0 ||
            strcmp(steps[i].name, "split_kv") == 0)
            excuses[i].from |= SAME_BITS;
        i++;
    }
    return run_attention_tests(name, steps, excuses);
}

#endif
