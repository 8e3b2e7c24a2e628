/*
 * What launch_scaled has to give, and what it may launch.
 */
#include "first_launch.h"

#include <math.h>

#include "07_cuda/exercise/emulator.h"

enum { MOST = 4000 };

static float x[MOST], y[MOST];

static void run(size_t n, float a)
{
    cuda_on_cpu_forgive();
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)i + 1;
        y[i] = NAN;
    }
    assert_nothing_found(scale_on_device(x, y, n, a));
}

static void check(size_t n, float a, const char *why)
{
    run(n, a);
    for (size_t i = 0; i < n; i++)
        if (!(y[i] == a * x[i]))
            fail_msg("%s\n  %zu numbers, a = %g: want y[%zu] = %g, got %g", why,
                     n, (double)a, i, (double)(a * x[i]), (double)y[i]);
}

static void one_number_is_scaled(void **state)
{
    check(1, 3, "one number, one thread: y = a x");
}

static void one_block_has_a_thread_for_each(void **state)
{
    check(128, 3, "128 numbers: thread t of the block is for number t");
}

static void the_second_block_goes_on_where_the_first_ends(void **state)
{
    check(256, 2, "two blocks: thread 0 of block 1 is for number 128");
}

static void the_last_block_may_have_less_to_do(void **state)
{
    check(200, 2, "200 numbers: one block of 128 is too few");
    check(3, 2, "3 numbers: one block of 128, of which 3 threads work");
    check(MOST - 1, 2, "many blocks");
}

static void the_grid_is_no_larger_than_it_must_be(void **state)
{
    const size_t sizes[] = {1, 127, 128, 129, 256, 1000};

    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        size_t blocks = (sizes[k] + 127) / 128;
        struct cuda_counts c;

        run(sizes[k], 2);
        c = cuda_on_cpu_counts();
        if (c.blocks != blocks || c.threads != blocks * 128)
            fail_msg("%zu numbers: want %zu blocks of 128 threads, got %llu of "
                     "%llu",
                     sizes[k], blocks, (unsigned long long)c.blocks,
                     (unsigned long long)(c.blocks ? c.threads / c.blocks : 0));
    }
}

static void of_nothing_there_is_no_launch(void **state)
{
    check(0, 2, "no numbers");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_number_is_scaled),
        cmocka_unit_test(one_block_has_a_thread_for_each),
        cmocka_unit_test(the_second_block_goes_on_where_the_first_ends),
        cmocka_unit_test(the_last_block_may_have_less_to_do),
        cmocka_unit_test(the_grid_is_no_larger_than_it_must_be),
        cmocka_unit_test(of_nothing_there_is_no_launch),
    };

    cuda_on_cpu_print_findings(0);
    return run_tests("first_launch", tests);
}
