/*
 * Tests of row_max, on the emulator.
 *
 * For the grader:
 *   race: 5
 *   worth 3: all_threads_load_scores
 *   no points: the_first_score_may_be_the_largest
 *   row_maxima: rows n scores[rows * n] largest[rows] => largest
 */
#include "row_max.h"

#include <math.h>
#include <stdio.h>

#include "07_cuda/exercise/emulator.h"
#include "common/testing/variant.h"

enum { MOST = 1000 };

/* Runs row_maxima on two rows of n scores. Score `at` is best + shift, and the
 * other scores are others + shift. Fails with `why` if a maximum is wrong. */
static void check(size_t n, float others, size_t at, float best,
                  const char *why)
{
    static float scores[MOST];
    float largest[2] = {NAN, NAN}, shift = variant_number(53, 0, 1, 99), want;

    best += shift;
    others += shift;
    want = n == 0 ? -INFINITY : best > others ? best : others;
    for (size_t j = 0; j < 2 * n; j++)
        scores[j] = others;
    for (size_t i = 0; i < 2 && at < n; i++)
        scores[i * n + at] = best;
    assert_nothing_found(row_maxima(scores, largest, 2, n));
    for (size_t i = 0; i < 2; i++)
        if (!(largest[i] == want))
            fail_msg("row %zu of %s: want %g, got %g: %s", i,
                     quantity(n, "score", "scores").text, (double)want,
                     (double)largest[i], why);
}

TEST(the_first_score_may_be_the_largest)
{
    check(256, 1, 0, 2, "the largest was the first score");
}

TEST(the_largest_may_be_with_any_lane)
{
    for (size_t at = 0; at < 32; at++) {
        char why[40];

        snprintf(why, sizeof why, "the largest was with lane %zu", at);
        check(256, 1, at, 2, why);
    }
}

TEST(the_largest_may_be_with_any_warp)
{
    for (size_t at = 0; at < 256; at += 16) {
        char why[40];

        snprintf(why, sizeof why, "the largest was with warp %zu",
                 at % ROW_MAX_THREADS / 32);
        check(256, 1, at, 2, why);
    }
}

TEST(scores_may_be_negative)
{
    check(256, -7, 100, -3, "all scores are below 0");
    check(256, -INFINITY, 100, -INFINITY, "all scores are below 0");
}

TEST(rows_may_be_shorter_than_a_block_or_ragged)
{
    static const size_t lengths[] = {5, 1, 0, 31, 33, 127, 129, 500};

    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++)
        check(lengths[k], 1, lengths[k] - 1, 2,
              "the largest was the last score");
}

TEST(all_threads_load_scores)
{
    size_t n = variant_size(54, 400, 300, 500);
    size_t each = (n + ROW_MAX_THREADS - 1) / ROW_MAX_THREADS * sizeof(float);
    size_t got;

    check(n, 1, n / 2, 2, "the largest was in the middle");
    got = (size_t)cuda_on_cpu_counts().busiest;
    if (got > 2 * each + sizeof(float))
        fail_msg("a thread loads %zu bytes of a row, and %zu are enough: each "
                 "of %d threads loads a part of the scores",
                 got, each, ROW_MAX_THREADS);
}
