/*
 * FlashAttention's own rule for the Hopper rungs: on shapes that its tests
 * take, causal or not, the error is at most twice that of a plain kernel with
 * the same storage (attention_check.h), against float64. The emulator takes
 * the small ones.
 */
#include "common/testing/attention_check.h"
#include "common/testing/run_tests.h"

#include "07_cuda/host/device.h"
#include "07_cuda/steps.h"

#ifdef CUDA_ON_CPU
enum { MOST_SCORES = 50000 };
#else
enum { MOST_SCORES = 20000000 };
#endif

static void check_shape(size_t Nq, size_t Nk, size_t d, bool causal)
{
    const attention_step *steps = ladder_steps(BF16);
    attention_subject subject = {.step = &steps[FIRST_HOPPER]};
    attention_case c = case_of(Nq, Nk, d, d);

    case_random(&c, 61);
    if (causal)
        case_causal(&c, (long)Nk - (long)Nq);
    case_expect(&c, &subject);
    for (int r = FIRST_HOPPER; r < RUNGS; r++) {
        if (ladder[r].fp8) /* as exact as test_fp8.c says */
            continue;
        subject.step = &steps[r];
        case_run(&c, &subject);
        case_check(&c, &subject);
    }
    case_free(&c);
}

static void shapes_of_its_tests_are_right(void **state)
{
    static const size_t shapes[][2] = {
        {1, 1},     {64, 128},  {239, 1},     {799, 3},     {113, 203},
        {128, 217}, {108, 256}, {1023, 1024}, {4096, 4096}, {4224, 4224}};

    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        size_t Nq = shapes[k][0], Nk = shapes[k][1];

        for (size_t d = 64; d <= 128 && Nq * Nk <= MOST_SCORES; d += 64)
            for (int causal = 0; causal < 2; causal++)
                /* The largest: once each, as float64 takes its time. */
                if (Nq < 4096 || (d == 128) == !causal)
                    check_shape(Nq, Nk, d, causal);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_of_its_tests_are_right),
    };

    if (!hopper_runs_here())
        return 0;
    return run_tests("hopper_shapes", tests);
}
