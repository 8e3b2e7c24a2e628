/*
 * The rungs on tensor cores in fp16, with warps that run in another, random
 * order.
 */
#include "07_cuda/tests/test_ladder.h"

int main(void)
{
    static const struct CMUnitTest own[] = {
        cmocka_unit_test(the_emulator_found_no_mistake),
    };

    cuda_on_cpu_set_seed(7);
    return run_ladder_tests("ladder_fp16", FP16, FIRST_16_BIT, FIRST_HOPPER,
                            own, 1);
}
