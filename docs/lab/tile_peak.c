/*
 * How near to the probe can a loop come that also loads what it multiplies?
 * backward_simd's register tile over and over, its factors in the nearest
 * caches; and as many multiply-adds beside as many loads that nobody uses.
 *
 *     build/docs/lab/tile_peak > docs/results/tile_peak.tsv
 *
 * Lines: the loop (a number: the tile, of so many steps), and its share of the
 * peak: medians of rounds. peers.py adds one large product by PyTorch's library,
 * a line that begins with its size. docs/backward.md
 */
#include <math.h>
#include <stdio.h>

#include "06_flash2/backward/register_tile.h"
#include "common/print/report.h"
#include "common/speed/peak.h"
#include "docs/lab/bench_rounds.h"

enum { ROUNDS = 41, TILE_ROWS = 48, CALLS = 500, STEPS = 200000 };

static _Alignas(64) float A[TILE_ROWS * 256], B[256 * C * W],
    out[TILE_ROWS * C * W];

/* FLOP/s of a step's multiply-adds, and of the loads beside them. */
static double step_flops(bool loads)
{
    vf sums[R][C], a = load_lanes(A), b = load_lanes(B);
    double start = stopwatch();

    EACH (r, 0, R)
        EACH (x, 0, C)
            sums[r][x] = load_lanes(out + (r * C + x) * W);
    for (size_t i = 0; i < STEPS; i++) {
        EACH (r, 0, R)
            EACH (x, 0, C) {
                if (loads && r == 0)
                    (void)*(volatile vf *)(B + x * W);
                if (loads && x == 0)
                    (void)*(volatile float *)(A + r);
                sums[r][x] = sums[r][x] * a + b;
                IN_REGISTER(sums[r][x]); /* in this order */
            }
    }
    EACH (r, 0, R)
        EACH (x, 0, C)
            store_lanes(out + (r * C + x) * W, sums[r][x]);
    return (double)(2 * R * C * W) * (double)STEPS / (stopwatch() - start);
}

/* FLOP/s of the tile with n steps. */
static double tile_flops(size_t n)
{
    matrix sums = matrix_of(out, TILE_ROWS, C * W);
    double start = stopwatch();

    for (int i = 0; i < CALLS; i++)
        add_rows(0, sums, (product){A, n, 1, B, C * W, n});
    return (double)(2 * TILE_ROWS * C * W * CALLS) * (double)n /
           (stopwatch() - start);
}

/* Where nothing is loaded: by the probe or by these multiply-adds, whichever is
 * faster. */
static double peak(void)
{
    return fmax(peak_flops(1), step_flops(false));
}

int main(void)
{
    double share[4][ROUNDS];

    for (int k = 0; k < ROUNDS; k++) {
        share[0][k] = step_flops(true) / peak();
        for (int i = 1; i < 4; i++)
            share[i][k] = tile_flops((size_t)32 << i) / peak();
    }
    printf("loads\t%.3f\n", quantile(share[0], ROUNDS, 0.5));
    for (int i = 1; i < 4; i++)
        printf("%d\t%.3f\n", 32 << i, quantile(share[i], ROUNDS, 0.5));
    return report_end(0);
}
