/*
 * Does decoding compute while it reads? On one thread, for a cache line of K
 * and V: reading alone; split_kv_simd alone, with a tile of K and V that stays
 * in the nearest caches; and split_kv_simd with K and V in memory. The last is
 * the longer of the two before it where all is hidden, their sum where nothing
 * is.
 *
 *     make lab-overlap
 *
 * Lines: d, and the nanoseconds of each: medians of rounds, in the processor's
 * own time, from which others on the machine take little.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "06_flash2/fast/base2.h"
#include "06_flash2/fast/fast_steps.h"
#include "common/speed/peak.h"
#include "docs/lab/bench_rounds.h"

enum { ROUNDS = 15, TILE = 64, TIMES = 20000, D = 128 };
#define FLOATS ((size_t)1 << 27)

#define X(target) split_kv_simd_##target,
static part_kernel *const kernels[] = {TARGETS};
#undef X

/* Nanoseconds for each line of n keys and values at x, read so many times: by
 * the kernel, a part at a time, or without one by nothing but loads. */
static double line_ns(part_kernel *attend, float *x, size_t n, size_t d,
                      size_t part, size_t times)
{
    float q[D] = {0}, O[D];
    head h = {.Nq = 1, .Nk = n, .d = d, .dv = d};
    clock_t start = clock();

    h.K.hbm = matrix_of(x, n, d);
    h.V.hbm = matrix_of(x + n * d, n, d);
    for (size_t j = 0; attend && j < n * times; j += part) {
        partial p = {O, -INFINITY, -most_m, 0};

        attend(&h, q, 0, j % n, j % n + part, &p);
    }
    if (!attend)
        peak_read(1, x, 2 * n * d);
    return (double)(clock() - start) / CLOCKS_PER_SEC * 1e9 /
           (double)(2 * n * d / 16 * times);
}

int main(void)
{
    char message[160] = "out of memory";
    float *x = malloc(FLOATS * sizeof *x);
    size_t target = x ? choose_target(message) : target_count();

    if (target == target_count())
        return fprintf(stderr, "overlap: %s\n", message), 1;
    for (size_t i = 0; i < FLOATS; i++)
        x[i] = (float)(i % 1021) / 1021;
    for (size_t d = 64; d <= D; d *= 2) {
        double alone[ROUNDS], near[ROUNDS], both[ROUNDS];
        size_t n = FLOATS / 2 / d / PART * PART;

        for (int k = 0; k < ROUNDS; k++) {
            near[k] = line_ns(kernels[target], x, TILE, d, TILE, TIMES);
            alone[k] = line_ns(NULL, x, n, d, 0, 1);
            both[k] = line_ns(kernels[target], x, n, d, PART, 1);
        }
        printf("%zu\t%.3f\t%.3f\t%.3f\n", d, quantile(alone, ROUNDS, 0.5),
               quantile(near, ROUNDS, 0.5), quantile(both, ROUNDS, 0.5));
    }
    free(x);
    return report_end(0);
}
