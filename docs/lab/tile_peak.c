/*
 * How near to the probe can a loop come that also loads what it multiplies?
 * backward_simd's register tile over and over, its factors in the nearest
 * caches; as many multiply-adds beside as many loads that nobody uses; and one
 * large product of matrices by PyTorch's library, if PYTHON in the environment
 * names a Python that has torch.
 *
 *     build/docs/lab/tile_peak > docs/results/tile_peak.tsv
 *
 * Lines: the loop (a number: the tile, of so many steps), and its share of the
 * peak: medians of rounds. The product's line begins with its size.
 *
 * docs/backward.md
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "06_flash2/backward/register_tile.h"
#include "common/print/report.h"
#include "common/speed/peak.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"
#include "docs/lab/bench_result.h"
#include "docs/lab/peer_process.h"

enum { ROUNDS = 41, TILE_ROWS = 48, CALLS = 500, STEPS = 200000, SIDE = 2048 };

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
    return 2.0 * R * C * W * STEPS / (stopwatch() - start);
}

/* FLOP/s of the tile with n steps. */
static double tile_flops(size_t n)
{
    matrix sums = matrix_of(out, TILE_ROWS, C * W);
    double start = stopwatch();

    for (int i = 0; i < CALLS; i++)
        add_rows(0, sums, (product){A, n, 1, B, C * W, n});
    return 2.0 * TILE_ROWS * C * W * CALLS * (double)n / (stopwatch() - start);
}

/* Where nothing is loaded: by the probe or by these multiply-adds, whichever is
 * faster. */
static double peak(void)
{
    return fmax(peak_flops(1), step_flops(false));
}

/* The product that it made, against float64 in some places. */
static bool is_right(const layer *p)
{
    const head *h = &p->each;

    for (size_t i = 0; i < SIDE; i += 97) {
        size_t j = i * 31 % SIDE;
        double sum = 0;

        for (size_t k = 0; k < SIDE; k++)
            sum += (double)row(h->Q.hbm, i)[k] * (double)row(h->K.hbm, k)[j];
        if (!(fabs((double)row(h->O.hbm, i)[j] - sum) < 1e-5 * SIDE))
            return false;
    }
    return true;
}

/* Prints the share of the library's product. Returns 0, also without torch. */
static int library(void)
{
    const char *python = getenv("PYTHON");
    peer_process torch;
    double share[ROUNDS], seconds;
    layer p;
    int failed;

    if (peer_start(&torch, python ? python : "python3", "torch_product"))
        return 0;
    if (bench_new(&p, (bench_shape){1, 1, SIDE, SIDE}, false)) {
        peer_stop(&torch);
        return 1;
    }
    failed = peer_problem(&torch, &p) || peer_output(&torch, &p);
    if (!failed && !is_right(&p)) {
        strcpy(torch.says, "its product is wrong");
        failed = 1;
    }
    for (int k = 0; k < ROUNDS && !failed; k++) {
        double before = peak_flops(thread_count());

        failed = peer_time(&torch, &p, 1, &seconds);
        share[k] = 2.0 * SIDE * SIDE * SIDE / seconds /
                   ((before + peak_flops(thread_count())) / 2);
    }
    if (!failed)
        printf("%d x %d\t%.3f\n", SIDE, SIDE, quantile(share, ROUNDS, 0.5));
    else
        fprintf(stderr, "tile_peak: torch_product: %s\n", torch.says);
    bench_free(&p);
    peer_stop(&torch);
    return failed;
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
    return library();
}
