/*
 * Tests of best_score: its results, races and barriers, on the emulator.
 *
 * For the grader:
 *   counted: a_tile_is_not_overwritten_while_it_is_read
 *   counted: a_last_tile_may_be_ragged
 *   counted: two_barriers_per_tile_are_enough
 *   no points: one_tile_needs_one_barrier
 *   best_scores: n q[QUERIES] k[n] best[QUERIES] => best
 */
#define ONE_LINE_OF_A_RACE
#include "missing_barrier.h"

#include <math.h>

#include "07_cuda/exercise/emulator.h"
#include "common/testing/variant.h"

enum { MOST = 1000 };

static void check(size_t n, const char *why)
{
    random_source source = variant_seed(50 + n);
    float q[QUERIES], k[MOST], best[QUERIES];
    size_t each;

    random_fill(&source, q, QUERIES, 1);
    random_fill(&source, k, n, 1);
    assert_nothing_found(best_scores(q, k, best, n));
    for (size_t i = 0; i < QUERIES; i++) {
        float want = -INFINITY;

        for (size_t j = 0; j < n; j++)
            want = fmaxf(want, q[i] * k[j]);
        if (!(best[i] == want))
            fail_msg("%s, %s: query %zu: want %.9g, got %.9g", why,
                     quantity(n, "key", "keys").text, i, (double)want,
                     (double)best[i]);
    }
    if (cuda_on_cpu_counts().global_loaded > 8 * (QUERIES + n))
        fail_msg("the block loads each key once, to the tile: %llu bytes were "
                 "loaded, and %zu are enough",
                 (unsigned long long)cuda_on_cpu_counts().global_loaded,
                 4 * (QUERIES + n));
    each = sizeof(float) * (2 + (n + QUERIES - 1) / QUERIES);
    if (cuda_on_cpu_counts().busiest > 4 * each)
        fail_msg("a thread loads and stores %llu bytes, and %zu are enough: "
                 "each has one query, and one key of a tile",
                 (unsigned long long)cuda_on_cpu_counts().busiest, each);
}

TEST(one_tile_needs_one_barrier)
{
    check(QUERIES, "one tile");
    check(5, "one tile that is not full");
}

TEST(a_tile_is_not_overwritten_while_it_is_read)
{
    check(2 * QUERIES, "two tiles");
    check(7 * QUERIES, "seven tiles");
}

TEST(a_last_tile_may_be_ragged)
{
    check(variant_size(50, 200, 130, 900), "the last tile has fewer keys");
}

TEST(two_barriers_per_tile_are_enough)
{
    struct cuda_counts c;

    check(4 * QUERIES, "four tiles");
    c = cuda_on_cpu_counts();
    if (c.barriers > 8)
        fail_msg("a barrier is expensive: 4 tiles need at most 8 barriers, and "
                 "the kernel has %llu",
                 (unsigned long long)c.barriers);
}
