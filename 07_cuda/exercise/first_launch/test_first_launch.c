/*
 * Tests of launch_scaled: its results, and the grid that it launches.
 *
 * For the grader:
 *   worth 2: the_grid_has_no_unnecessary_block
 *   no points: an_empty_array_needs_no_launch
 *   scale_on_device: a n x[n] y[n] => y
 */
#include "first_launch.h"

#include <math.h>

#include "07_cuda/exercise/emulator.h"
#include "common/testing/rows.h"
#include "common/testing/variant.h"

/* MOST_BYTES allows a thread to load and store its number a few times. */
enum { MOST = 4000, MOST_BYTES = 6 * sizeof(float) };

static float x[MOST], y[MOST];

typedef struct {
    const char *test;
    size_t n;
    float a;
    const char *why;
} entry;

static void check(const void *row)
{
    const entry *e = row;
    size_t first = variant_size(53, 1, 2, 4000);

    for (size_t i = 0; i < e->n; i++) {
        x[i] = (float)(i + first);
        y[i] = NAN;
    }
    assert_nothing_found(scale_on_device(x, y, e->n, e->a));
    for (size_t i = 0; i < e->n; i++)
        if (!(y[i] == e->a * x[i]))
            fail_msg("%s\n  %s, a = %g: want y[%zu] = %g, got %g", e->why,
                     quantity(e->n, "number", "numbers").text, (double)e->a, i,
                     (double)(e->a * x[i]), (double)y[i]);
    if (e->n > 0 && cuda_on_cpu_counts().threads < e->n)
        fail_msg("each number has its own thread: want at least %zu threads, "
                 "got %llu",
                 e->n, (unsigned long long)cuda_on_cpu_counts().threads);
    if (e->n > 0 && cuda_on_cpu_counts().global_stored < e->n * sizeof(float))
        fail_msg("a kernel stores y: want at least %zu bytes, got %llu",
                 e->n * sizeof(float),
                 (unsigned long long)cuda_on_cpu_counts().global_stored);
    if (cuda_on_cpu_counts().busiest > MOST_BYTES)
        fail_msg("each number has its own thread: one thread loads and stores "
                 "%llu bytes, and %zu are enough",
                 (unsigned long long)cuda_on_cpu_counts().busiest,
                 2 * sizeof(float));
}

TEST(the_grid_has_no_unnecessary_block)
{
    const size_t sizes[] = {1, 127, 128, 129, 256, 1000};

    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        size_t blocks = (sizes[k] + 127) / 128;
        struct cuda_counts c;

        check(&(entry){SAME_TEST, sizes[k], 2, "all numbers are scaled"});
        c = cuda_on_cpu_counts();
        if (c.blocks != blocks || c.threads != blocks * 128)
            fail_msg("%s: want %s of 128 threads, got %llu of %llu",
                     quantity(sizes[k], "number", "numbers").text,
                     quantity(blocks, "block", "blocks").text,
                     (unsigned long long)c.blocks,
                     (unsigned long long)(c.blocks ? c.threads / c.blocks : 0));
    }
}

int main(void)
{
    static const entry entries[] = {
        {"one_number_is_scaled", 1, 3, "one thread computes y = a x"},
        {"each_number_has_a_thread", 128, 3,
         "128 numbers: thread t of the block computes number t"},
        {"the_second_block_continues_after_the_first", 256, 2,
         "two blocks: thread 0 of block 1 is for number 128"},
        {"the_last_block_may_have_fewer_numbers", 200, 2,
         "200 numbers: one block of 128 is too few"},
        {SAME_TEST, 3, 2,
         "3 numbers: one block, in which 3 of 128 threads compute"},
        {SAME_TEST, MOST - 1, 2, "many blocks"},
        {"an_empty_array_needs_no_launch", 0, 2, "no numbers"},
    };

    return run_table("first_launch", check, entries);
}
