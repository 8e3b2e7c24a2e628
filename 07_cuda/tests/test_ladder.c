/*
 * Tests the rungs before Hopper: the contract of attention in fp32 and bf16,
 * then in fp16 with a random order of warps, and the rescaling of rung 7.
 */
#include <math.h>

#include "common/testing/assert_close.h"

#include "07_cuda/tests/test_ladder.h"

enum { KEYS = 2048, COLUMNS = 32 }; /* KEYS are 32 tiles */

/* With equal scores the maximum stays the same, so earlier sums must be
 * rescaled by exactly 1. A factor next to 1 would change L. */
TEST(rung_7_rescales_nothing_while_the_maximum_is_the_same)
{
    static float Q[COLUMNS], K[KEYS * COLUMNS], V[KEYS * COLUMNS], O[COLUMNS];
    float L[1];

    if (widest_here(&ladder[RUNG_full].needs) < COLUMNS)
        skip();
    for (size_t j = 0; j < KEYS; j++)
        K[j * COLUMNS] = 1;
    for (Q[0] = 50; Q[0] < 58; Q[0] += 1) {
        layer l = {
            .B = 1,
            .Hq = 1,
            .Hk = 1,
            .each = {
                .Nq = 1, .Nk = KEYS, .d = COLUMNS, .dv = COLUMNS, .scale = 1}};
        memory mem;

        layer_give(&l, Q, K, V, O, L);
        memory_init(&mem, 0);
        assert_int_equal(rung_layer(&ladder[RUNG_full], BF16, &l, &mem), 0);
        assert_close((double)L[0], (double)Q[0] + log(KEYS), 6e-6);
    }
}

ALSO(the_emulator_found_no_mistake);

int main(void)
{
    int failed = run_ladder_tests("ladder", BF16, 0, FIRST_HOPPER);

    cuda_on_cpu_set_seed(7);
    ADD_TEST(the_emulator_found_no_mistake, NULL, NULL);
    return run_ladder_tests("ladder_fp16", FP16, FIRST_16_BIT, FIRST_HOPPER) ||
           failed;
}
