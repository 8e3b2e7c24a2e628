/*
 * Rung 11 in six random orders of warps and copies: right, and the same bits.
 */
#include "07_cuda/tests/test_fp8.h"

static void six_random_schedules_give_the_same_bits(void **state)
{
    static const fp8_shape shapes[] = {{1, 1, 200, 700, 64, 500},
                                       {2, 2, 150, 330, 128, 180}};

    (void)state;
    for (int k = 0; k < 2; k++) {
        rung_problem p = fp8_problem(&shapes[k], 2, 91);
        size_t bytes = fp8_count_q(&p) * 2;
        uint16_t *first = malloc(bytes);

        for (int schedule = 0; schedule < 6; schedule++) {
            fp8_check(&p);
            memset(p.scratch, 0xaa, scratch_bytes(&p));
            if (schedule == 0)
                memcpy(first, p.O, bytes);
            assert_memory_equal(p.O, first, bytes);
        }
        free(first);
        fp8_problem_free(&p);
    }
}

static void no_mistake_was_found(void **state)
{
    (void)state;
    assert_int_equal(cuda_on_cpu_findings(), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_random_schedules_give_the_same_bits),
        cmocka_unit_test(no_mistake_was_found),
    };

    setenv("CUDA_ON_CPU_SEED", "7", 0);
    return run_tests("fp8_random", tests);
}
