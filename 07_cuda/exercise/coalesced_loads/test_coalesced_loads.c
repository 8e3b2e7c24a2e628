/*
 * Tests of row_of_scores: its results, loaded bytes and moved sectors.
 *
 * For the grader:
 *   counted: every_number_is_loaded_once
 *   counted: every_sector_is_moved_once
 *   no points: the_scores_are_right
 *   scores_on_device: n q[D] K[n * D] s[n] => s
 */
#include "coalesced_loads.h"

#include <math.h>

#include "07_cuda/exercise/emulator.h"
#include "common/testing/assert_close.h"
#include "common/testing/variant.h"

enum { N = 256 };

/* Returns the counts of a launch of two blocks; fails if a score is wrong. */
static struct cuda_counts run(void)
{
    static float q[D], K[N * D], s[N];
    random_source source = variant_seed(52);

    random_fill(&source, q, D, 1);
    random_fill(&source, K, N * D, 1);
    cuda_on_cpu_set_effort(CUDA_FULL);
    assert_nothing_found(scores_on_device(q, K, s, N));
    for (size_t j = 0; j < N; j++) {
        double want = 0;

        for (size_t c = 0; c < D; c++)
            want += (double)q[c] * (double)K[j * D + c];
        if (!is_close((double)s[j], want, 1e-4))
            fail_msg("key %zu of %d: want s = %g, got %g", j, N, want,
                     (double)s[j]);
    }
    return cuda_on_cpu_counts();
}

TEST(the_scores_are_right)
{
    run();
}

TEST(every_sector_is_moved_once)
{
    /* A sector has 8 floats. K and s are moved once, and q once for each
     * warp. */
    const unsigned long long want = N * D / 8 + N / 8 + N / 32 * D / 8;
    struct cuda_counts c = run();
    /* the sectors if all loads are coalesced, but no store is */
    unsigned long long most = c.global_loaded / 32 + c.global_stored / 4;
    unsigned long long got = c.global_sectors;

    if (got > want)
        fail_msg("%llu sectors were moved, and %llu are enough: %s", got, want,
                 got > most ? "the lanes of a warp do not load adjacent "
                              "elements of K"
                 : c.global_loaded > 4 * (N * D + N / 32 * D)
                     ? "K or q is loaded more often than needed"
                     : "the lanes of a warp do not store adjacent elements "
                       "of s");
}

TEST(every_number_is_loaded_once)
{
    /* Groups of lanes may load q at the same time, which moves its sectors
     * once. With float4s there are at most 16 groups. */
    const unsigned long long want = 4 * (N * D + N / 32 * 16 * D);
    unsigned long long got = run().global_loaded;

    if (got > want)
        fail_msg("%llu bytes were loaded, and %llu are enough: K once, and q "
                 "by at most 16 groups of lanes of each warp",
                 got, want);
}
