/*
 * Every rung keeps attention's contract, with no mistake that the emulator
 * would find: fp32 and bf16 here, fp16 in test_ladder_fp16.c, Hopper's in
 * test_hopper.c.
 */
#include "07_cuda/tests/test_ladder.h"

int main(void)
{
    return run_ladder_tests("ladder", BF16, 0, FIRST_HOPPER);
}
