/*
 * The Hopper rungs give the same bits whatever the order in which warps run
 * and copies land.
 */
#include <stdlib.h>

#include "common/testing/run_tests.h"

#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/tests/test_hopper.h"

/* Each launch goes on in the one random sequence: six other orders. */
static void six_random_schedules_are_right(void **state)
{
    static const hopper_problem problems[] = {
        {130, 700, 64, true, 500, 1},
        {200, 330, 128, true, 130, 2},
        {70, 800, 128, false, 0, 1},
    };

    (void)state;
    for (const attention_step *s = hopper_steps(); s->name; s++)
        for (size_t k = 0; k < 3; k++)
            for (uint64_t schedule = 0; schedule < 6; schedule++)
                check_problem(s, &problems[k], 91 + k);
}

static void random_schedules_give_the_same_bits(void **state)
{
    (void)state;
    for (const attention_step *s = hopper_steps(); s->name; s++) {
        attention_case c = case_of(200, 300, 64, 64);
        float *O = malloc(200 * 64 * sizeof *O);
        memory mem;

        case_random(&c, 93);
        case_causal(&c, 100);
        for (int schedule = 0; schedule < 4; schedule++) {
            memory_init(&mem, 0);
            assert_int_equal(step_run(s, &c.h, &mem), 0);
            if (schedule == 0)
                memcpy(O, c.h.O.hbm.data, 200 * 64 * sizeof *O);
            assert_memory_equal(O, c.h.O.hbm.data, 200 * 64 * sizeof *O);
        }
        free(O);
        case_free(&c);
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
        cmocka_unit_test(six_random_schedules_are_right),
        cmocka_unit_test(random_schedules_give_the_same_bits),
        cmocka_unit_test(no_mistake_was_found),
    };

    setenv("CUDA_ON_CPU_SEED", "7", 0);
    return run_tests("hopper_random", tests);
}
