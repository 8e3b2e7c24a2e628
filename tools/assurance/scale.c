/*
 * One query and K and V of more than 2^32 elements each, for every step of
 * chapters 05 and 06: one piece of memory that is mapped again and again. So
 * the keys repeat: O is that of one period, in float64 and written anew here,
 * and L is larger by the logarithm of their number. docs/assurance.md
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/layer.h"
#include "common/problem/random.h"

enum { D = 1024, ROWS = 1 << 14, TIMES = 257 };

static float *repeated(uint64_t seed)
{
    size_t bytes = sizeof(float) * D * ROWS;
    char *at = mmap(NULL, bytes * TIMES, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int file = memfd_create("rows", 0);
    random_source source = random_seed(seed);

    if (at == MAP_FAILED || ftruncate(file, (off_t)bytes) != 0)
        exit(1);
    for (size_t k = 0; k < TIMES; k++)
        if (mmap(at + k * bytes, bytes, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
            exit(1);
    random_fill(&source, (float *)at, (size_t)D * ROWS, 1);
    return (float *)at;
}

/* O and, behind it, L of the first rows: scores are small enough for e^s. */
static void in_float64(const float *q, const float *K, const float *V,
                       double scale, double O[D + 1])
{
    double l = 0;

    for (size_t j = 0; j < ROWS; j++) {
        double s = 0, p;

        for (size_t c = 0; c < D; c++)
            s += (double)q[c] * (double)K[j * D + c];
        p = exp(scale * s);
        l += p;
        for (size_t c = 0; c < D; c++)
            O[c] += p * (double)V[j * D + c];
    }
    for (size_t c = 0; c < D; c++)
        O[c] /= l;
    O[D] = log(l) + log(TIMES);
}

int main(int argc, char **argv)
{
    static float q[D], O[D + 1];
    static double want[D + 1];
    const attention_step *lists[] = {chapter_05_steps, chapter_06_steps};
    const size_t N = (size_t)ROWS * TIMES;
    float *K = repeated(1), *V = repeated(2);
    head h = {.Nq = 1, .Nk = N, .d = D, .dv = D, .Br = 1, .Bc = 64};
    random_source source = random_seed(3);
    int passed = 0, failed = 0;

    random_fill(&source, q, D, 1);
    h.scale = 1 / sqrtf(D);
    h.Q = (array){matrix_of(q, 1, D), FP32};
    h.K = (array){matrix_of(K, N, D), FP32};
    h.V = (array){matrix_of(V, N, D), FP32};
    h.O = (array){matrix_of(O, 1, D), FP32};
    h.L = (array){matrix_of(O + D, 1, 1), FP32};
    in_float64(q, K, V, (double)h.scale, want);
    for (size_t c = 0; c < 2; c++)
        for (const attention_step *s = lists[c]; s->name; s++) {
            layer one = layer_of(&h);
            double most = 0;
            memory mem;
            int error;

            if (argc > 1 && strcmp(argv[1], s->name))
                continue;
            memory_init(&mem, MEMORY_UNBOUNDED);
            error = s->run ? s->run(&h, &mem) : s->run_layer(s, &one, &mem);
            memory_reset(&mem);
            for (size_t k = 0; k <= D; k++)
                most = fmax(most, fabs((double)O[k] - want[k]));
            error = error || !(most < 1e-4);
            printf("%-6s %s, %zu elements of K: off by %.1e\n",
                   error ? "FAILED" : "ok", s->name, N * D, most);
            passed += !error;
            failed += error;
            memset(O, 0, sizeof O);
        }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
