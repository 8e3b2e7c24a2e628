/*
 * Runs attention_contract.h on a list of rungs. A NaN in V reaches all queries
 * whose tile loads it, because 0 times NaN is NaN.
 */
#ifndef CUDA_TEST_LADDER_H
#define CUDA_TEST_LADDER_H

#include <string.h>

#include "common/testing/contract/attention_contract.h"

#include "07_cuda/host/device.h"
#include "07_cuda/tests/no_findings.h"
#include "07_cuda/steps.h"

/* Runs the contract on rungs first .. last - 1, then the program's own tests.
 * Skips rung 11, which test_fp8.c tests. */
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
        /* With tensor cores the emulator is faster, so problems are larger. In
         * the short form they are a fifth as large. */
        excuses[i] = (attention_excuse){
            steps[i].name, MASKS | SOFTCAPS | OWN_LIMITS | COUNTED_ALONE,
            (steps[i].type == FP32 ? 600000 : 5000000) / one_in(5), widest};
        /* flash1 divides by l and multiplies by l again in later tiles.
         * split_kv divides the keys into other parts. So their bits differ with
         * more keys. */
        if (strcmp(steps[i].name, "flash1") == 0 ||
            strcmp(steps[i].name, "split_kv") == 0)
            excuses[i].from |= SAME_BITS;
        i++;
    }
    return run_attention_tests(name, steps, excuses);
}

#endif
