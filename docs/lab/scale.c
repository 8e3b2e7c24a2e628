/*
 * One query, and K and V of more than 2^32 elements each, for every step of
 * chapters 05 and 06: one piece of memory that is mapped again and again. So
 * the keys repeat: O is that of one period, and L is larger by the logarithm
 * of how many there are.
 *
 *     build/docs/lab/scale [STEP]
 *
 * docs/assurance.md
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
#include "common/judge/reference_attention.h"
#include "common/layer.h"
#include "common/print/outside.h"
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

static bool is_right(const attention_step *s, head *h, const double want[D + 1])
{
    layer one = layer_of(h);
    double most = 0;
    memory mem;
    int error;

    memset(h->O.hbm.data, 0, (D + 1) * sizeof(float)); /* and L behind it */
    memory_init(&mem, MEMORY_UNBOUNDED);
    error = s->run ? s->run(h, &mem) : s->run_layer(s, &one, &mem);
    memory_reset(&mem);
    for (size_t k = 0; k <= D; k++)
        most = fmax(most, fabs((double)h->O.hbm.data[k] - want[k]));
    printf("%-15s %zu elements of K: off by %.1e\n", s->name, h->Nk * h->d,
           most);
    return !error && most < 1e-4;
}

int main(int argc, char **argv)
{
    static float q[D], O[D + 1];
    static double want[D + 1];
    const attention_step *lists[] = {chapter_05_steps, chapter_06_steps};
    head h = {.Nq = 1, .Nk = ROWS, .d = D, .dv = D, .Br = 1, .Bc = 64};
    random_source source = random_seed(3);
    int passed = 0, failed = 0;

    random_fill(&source, q, D, 1);
    h.scale = 1 / sqrtf(D);
    h.Q = (array){matrix_of(q, 1, D), FP32};
    h.K = (array){matrix_of(repeated(1), ROWS, D), FP32};
    h.V = (array){matrix_of(repeated(2), ROWS, D), FP32};
    h.O = (array){matrix_of(O, 1, D), FP32};
    h.L = (array){matrix_of(O + D, 1, 1), FP32};
    if (reference_attention(&h, want, want + D))
        return 1;
    want[D] += log(TIMES);
    h.Nk = h.K.hbm.rows = h.V.hbm.rows = (size_t)ROWS * TIMES;
    for (size_t c = 0; c < 2; c++)
        for (const attention_step *s = lists[c]; s->name; s++)
            if (argc < 2 || !strcmp(argv[1], s->name))
                is_right(s, &h, want) ? passed++ : failed++;
    if (passed + failed == 0) {
        fprintf(stderr, "'%s': no such step\n", shown(argv[1]).text);
        return 2;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
