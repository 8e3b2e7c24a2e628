/*
 * The Hopper rungs keep attention's contract, and move the bytes that the
 * closed form says.
 */
#include "07_cuda/hopper_steps.h"
#include "07_cuda/test_ladder.h"

int main(void)
{
    return run_ladder_tests("hopper", hopper_steps());
}
