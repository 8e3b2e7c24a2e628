/*
 * How near to the probe can a loop come that also loads what it multiplies?
 * backward_simd's register tile over and over, its factors in the nearest
 * cache; beside it the clock, for a processor may slow it down for such work.
 *
 *     build/docs/lab/tile_peak > docs/results/tile_peak.tsv
 *
 * Lines: steps of the loop, share of the probe, clock after the tile over the
 * clock after the probe: medians of rounds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "06_flash2/backward/register_tile.h"
#include "common/print/report.h"
#include "common/speed/peak.h"

enum { ROUNDS = 41, ROWS = 48, CALLS = 500, MULTIPLIES = 20000 };

static float A[ROWS * 256], B[256 * C * W], out[ROWS * C * W];

/* Multiplications a second when each waits for the one before, which takes a
 * fixed number of cycles: the clock, but for a factor. */
static double clock_now(void)
{
    unsigned long long x = 3;
    volatile unsigned long long kept;
    double start = stopwatch();

    for (int i = 0; i < MULTIPLIES; i++)
        x = x * x + 2;
    kept = x;
    (void)kept;
    return MULTIPLIES / (stopwatch() - start);
}

/* FLOP/s of the tile with n steps. */
static double tile_flops(size_t n)
{
    matrix sums = matrix_of(out, ROWS, C * W);
    double start = stopwatch();

    for (int i = 0; i < CALLS; i++)
        add_rows(0, sums, (product){A, n, 1, B, C * W, n});
    return 2.0 * ROWS * C * W * CALLS * (double)n / (stopwatch() - start);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double x[ROUNDS])
{
    qsort(x, ROUNDS, sizeof x[0], ascending);
    return x[ROUNDS / 2];
}

int main(void)
{
    for (size_t n = 64; n <= 256; n *= 2) {
        double share[ROUNDS], slower[ROUNDS];

        for (int k = 0; k < ROUNDS; k++) {
            double peak = peak_flops(1), clock = clock_now();

            share[k] = tile_flops(n) / peak;
            slower[k] = clock_now() / clock;
        }
        printf("%zu\t%.3f\t%.3f\n", n, median(share), median(slower));
    }
    return 0;
}
