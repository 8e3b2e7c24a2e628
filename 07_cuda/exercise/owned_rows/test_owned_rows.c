/*
 * Tests of add_all and add_owned: sums, races and atomics, on the emulator.
 *
 * For the grader:
 *   counted: a_block_adds_once_to_a_row
 *   counted: an_owner_needs_no_atomic
 *   sums_by_columns: n m x[n * m] sums[n + m] => sums
 *   sums_by_rows: n m x[n * m] sums[n] => sums
 */
#include "owned_rows.h"

#include <math.h>

#include "07_cuda/exercise/emulator.h"
#include "common/testing/variant.h"

enum { MOST = 300 };

/* x has small integers, so no sum is rounded, in any order. */
static float x[MOST * MOST];

static void fill_x(size_t n, size_t m)
{
    random_source source = variant_seed(70 + n + m);

    random_fill(&source, x, n * m, 1);
    for (size_t e = 0; e < n * m; e++)
        x[e] = rintf(4 * x[e]);
}

/* Fails unless sums[k], for k < count, is the sum of `terms` numbers of x. They
 * begin at x[k * from] and are `step` apart. */
static void compare(const float *sums, size_t count, size_t from, size_t terms,
                    size_t step, const char *what)
{
    for (size_t k = 0; k < count; k++) {
        float want = 0;

        for (size_t e = 0; e < terms; e++)
            want += x[k * from + e * step];
        if (!(sums[k] == want))
            fail_msg("%s %zu of %zu: want %g, got %g", what, k, count,
                     (double)want, (double)sums[k]);
    }
}

static void by_columns(size_t n, size_t m)
{
    float sums[2 * MOST];

    fill_x(n, m);
    assert_nothing_found(sums_by_columns(x, sums, n, m));
    compare(sums + n, m, 1, n, m, "column");
    compare(sums, n, m, m, 1, "row");
}

static void by_rows(size_t n, size_t m)
{
    float sums[MOST];

    fill_x(n, m);
    assert_nothing_found(sums_by_rows(x, sums, n, m));
    compare(sums, n, m, m, 1, "row");
}

/* Fails if a thread has loaded and stored more than `most` numbers. */
static void all_threads_work(size_t most)
{
    size_t got = (size_t)cuda_on_cpu_counts().busiest / sizeof(float);

    if (got > most)
        fail_msg("a thread loads and stores %zu numbers, and %zu are enough: "
                 "all threads of a block work",
                 got, most);
}

TEST(a_block_may_have_all_columns)
{
    by_columns(3, THREADS);
}

TEST(blocks_add_to_the_same_rows)
{
    by_columns(5, 3 * THREADS);
}

TEST(a_last_block_may_have_fewer_columns)
{
    by_columns(4, variant_size(70, 150, 130, 190));
    by_columns(2, 5);
}

TEST(a_block_adds_once_to_a_row)
{
    size_t atomics;

    by_columns(7, 2 * THREADS);
    all_threads_work(2 * (7 + THREADS));
    atomics = (size_t)cuda_on_cpu_counts().global_atomics / sizeof(float);
    if (atomics > 2 * 7)
        fail_msg("%d atomics are enough, one for each block and row; "
                 "there were %zu",
                 2 * 7, atomics);
}

TEST(a_row_has_an_owner)
{
    by_rows(THREADS, 9);
    by_rows(variant_size(71, 150, 130, 190), 20);
    by_rows(5, 70);
}

TEST(an_owner_needs_no_atomic)
{
    by_rows(2 * THREADS, 3);
    all_threads_work(4 * (3 + 1));
    if (cuda_on_cpu_counts().global_atomics > 0)
        fail_msg("an owner needs no atomic");
}
