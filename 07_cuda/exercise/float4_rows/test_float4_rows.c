/*
 * Tests of slice_sums: its results and the sectors that it moves.
 *
 * For the grader:
 *   counted: whole_float4s_are_loaded
 *   counted: a_slice_may_begin_at_any_column
 *   counted: a_slice_may_end_at_any_column
 *   no points: the_sums_are_right
 *   no points: a_slice_may_be_short
 *   sums_on_device: ld first n X[ROWS * ld] sum[ROWS] => sum
 */
#include "float4_rows.h"

#include <math.h>

#include "07_cuda/exercise/emulator.h"
#include "common/testing/assert_close.h"
#include "common/testing/variant.h"

enum { MOST = 128 };

/* Sums a slice of a matrix that has NaN outside of the slice. Returns the
 * number of sectors. */
static size_t sectors(size_t ld, size_t first, size_t n, const char *why)
{
    static float X[ROWS * MOST], sum[ROWS];
    random_source source = variant_seed(54);

    random_fill(&source, X, ROWS * ld, 1);
    for (size_t e = 0; e < ROWS * ld; e++)
        if (e % ld < first || e % ld >= first + n)
            X[e] = NAN;
    cuda_on_cpu_set_effort(CUDA_FULL);
    assert_nothing_found(sums_on_device(X, sum, ld, first, n));
    for (size_t i = 0; i < ROWS; i++) {
        double want = 0;

        for (size_t c = first; c < first + n; c++)
            want += (double)X[i * ld + c];
        if (!is_close((double)sum[i], want, 1e-4))
            fail_msg("row %zu, first %zu, n %zu: want %g, got %g: %s", i, first,
                     n, want, (double)sum[i],
                     isnan(sum[i]) ? why : "each column is added once");
    }
    return cuda_on_cpu_counts().global_sectors;
}

static void check(size_t ld, size_t first, size_t n, const char *why)
{
    size_t loads = ROWS * (n / 4 + 6), most = loads + ROWS / 8;
    size_t got = sectors(ld, first, n, why);

    if (got > most)
        fail_msg("first %zu, n %zu, %d rows: %zu sectors were moved, and %zu "
                 "are enough: a float4 has four columns of a row",
                 first, n, ROWS, got, most);
    if (cuda_on_cpu_counts().global_loads > loads)
        fail_msg("first %zu, n %zu, %d rows: %zu loads, and %zu are enough: a "
                 "float4 has four columns of a row",
                 first, n, ROWS, (size_t)cuda_on_cpu_counts().global_loads,
                 loads);
}

TEST(the_sums_are_right)
{
    sectors(40, 0, 32, "the slice ends before the row");
}

TEST(whole_float4s_are_loaded)
{
    check(variant_size(54, 16, 17, 25) * 4, 0, 64, "a row has more columns");
}

TEST(a_slice_may_begin_at_any_column)
{
    for (size_t first = 0; first < 8; first++)
        check(72, first, 40 - first, "a column before the slice was added");
}

TEST(a_slice_may_end_at_any_column)
{
    for (size_t n = 32; n < 40; n++)
        check(72, 8, n, "a column after the slice was added");
}

TEST(a_slice_may_be_short)
{
    for (size_t first = 0; first < 4; first++)
        for (size_t n = 0; n < 7; n++)
            check(12, first, n,
                  "a short slice may begin and end in the same float4");
}
