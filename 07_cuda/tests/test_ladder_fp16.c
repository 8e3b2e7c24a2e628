/*
 * The rungs on tensor cores in fp16, with warps that run in another, random
 * order.
 */
#include <stdlib.h>

#include "07_cuda/tests/test_ladder.h"

int main(void)
{
    setenv("CUDA_ON_CPU_SEED", "7", 0);
    return run_ladder_tests("ladder_fp16", FP16, FIRST_16_BIT, FIRST_HOPPER);
}
