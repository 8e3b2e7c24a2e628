/*
 * Tests of the transpose: its result, bank conflicts and sectors.
 *
 * For the grader:
 *   counted: no_two_lanes_share_a_bank
 *   no points: A_and_B_are_accessed_along_rows
 *   no points: the_transpose_is_right
 *   transpose_on_device: n A[n * n] B[n * n] => B
 */
#include "no_conflicts.h"

#include <math.h>
#include <stdlib.h>

#include "07_cuda/exercise/emulator.h"
#include "common/testing/variant.h"

static void check(size_t n)
{
    float *A = malloc(n * n * sizeof *A), *B = malloc(n * n * sizeof *B);
    size_t wrong = 0, first = variant_size(52, 0, 1, 9999);

    assert_true(A && B);
    for (size_t e = 0; e < n * n; e++)
        A[e] = (float)(first + e);
    cuda_on_cpu_set_effort(CUDA_FULL);
    assert_nothing_found(transpose_on_device(A, B, n));
    for (size_t e = 0; e < n * n; e++)
        wrong += B[e] != A[e % n * n + e / n];
    free(A);
    free(B);
    if (wrong)
        fail_msg("the transpose is wrong: %zu of %zu elements of B", wrong,
                 n * n);
}

TEST(the_transpose_is_right)
{
    check(SIDE);
    check(SIDE * variant_size(51, 3, 2, 5));
}

TEST(no_two_lanes_share_a_bank)
{
    struct cuda_counts c;

    check(2 * SIDE);
    c = cuda_on_cpu_counts();
    if (c.shared_wavefronts > c.shared_wavefronts_best)
        fail_msg("%s lanes share a bank when a column is read: shared memory "
                 "had %llu wavefronts, and %llu are enough",
                 c.shared_wavefronts < 2 * c.shared_wavefronts_best ? "two"
                                                                    : "many",
                 (unsigned long long)c.shared_wavefronts,
                 (unsigned long long)c.shared_wavefronts_best);
}

TEST(A_and_B_are_accessed_along_rows)
{
    struct cuda_counts c;

    check(2 * SIDE);
    c = cuda_on_cpu_counts();
    if (c.global_sectors > c.global_sectors_best)
        fail_msg("A or B is accessed down a column in HBM: %llu sectors were "
                 "moved, and %llu are enough",
                 (unsigned long long)c.global_sectors,
                 (unsigned long long)c.global_sectors_best);
}
