/*
 * The table of the chapters in README.md: what each step buys, counted and
 * measured on the bundled Q, K, V. Prints Markdown.
 *
 *     build/docs/lab/chapters
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "01_naive_softmax/steps.h"
#include "02_safe_softmax/steps.h"
#include "03_online_softmax/steps.h"
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/npy.h"
#include "common/reference.h"
#include "common/report.h"

#define M_ON_CHIP 8192 /* elements, as in the chapters' programs */

typedef struct {
    npy_array q, k, v; /* 1 x H x N x d */
} bundle;

static int read_bundle(bundle *b)
{
    memset(b, 0, sizeof *b);
    return npy_read("common/data/q.npy", &b->q) ||
           npy_read("common/data/k.npy", &b->k) ||
           npy_read("common/data/v.npy", &b->v);
}

static array view(const npy_array *a, size_t nth)
{
    size_t rows = a->shape[2], cols = a->shape[3];

    return (array){matrix_of(a->data + nth * rows * cols, rows, cols), FP32};
}

static head head_of(const bundle *b, size_t nth, float *O, float *L)
{
    size_t N = b->q.shape[2], d = b->q.shape[3];

    return (head){
        .Nq = N,
        .Nk = N,
        .d = d,
        .dv = d,
        .Q = view(&b->q, nth),
        .K = view(&b->k, nth),
        .V = view(&b->v, nth),
        .O = {matrix_of(O, N, d), FP32},
        .L = {matrix_of(L, N, 1), FP32},
        .scale = 1 / sqrtf((float)d),
    };
}

static bool holds_nan(const float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(y[i]))
            return true;
    return false;
}

/* What a softmax step does with every row of scaled scores, times `factor`:
 * passes over the row, and how many rows come out with a NaN. */
static void softmax_line(const bundle *b, const softmax_step *step,
                         float factor)
{
    size_t N = b->q.shape[2], d = b->q.shape[3], rows = 0, lost = 0;
    float *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    counts sum = {.exps = 0};

    for (size_t h = 0; x && y && h < b->q.shape[1]; h++)
        for (size_t i = 0; i < N; i++) {
            softmax_row r = {.n = N, .x = x, .y = y, .block = 64};

            for (size_t j = 0; j < N; j++)
                x[j] = factor *
                       dot(row(view(&b->q, h).hbm, i),
                           row(view(&b->k, h).hbm, j), d) /
                       sqrtf((float)d);
            step->run(&r);
            counts_add(&sum, &r.counts);
            rows++;
            lost += holds_nan(y, N);
        }
    printf("%zu passes; with scores times %g, %zu of %zu rows give NaN",
           rows ? sum.read[ALGORITHM] / (rows * N) : 0, (double)factor, lost,
           rows);
    free(x);
    free(y);
}

/* HBM elements that a step moves, and its extra memory, over all heads. */
static void attention_line(const bundle *b, const attention_step *step)
{
    size_t size = b->q.shape[2] * b->q.shape[3], extra = 0;
    float *O = malloc(size * sizeof *O);
    float *L = malloc(b->q.shape[2] * sizeof *L);
    memory mem;

    memory_init(&mem, M_ON_CHIP);
    for (size_t h = 0; O && L && h < b->q.shape[1]; h++) {
        head one = head_of(b, h, O, L);

        if (step->run(&one, &mem))
            fprintf(stderr, "%s: %s\n", step->name, mem.message);
        extra = mem.extra;
        memory_reset(&mem);
    }
    printf(
        "%s elements through HBM, %s extra a head",
        count_text(mem.counts.read[ALGORITHM] + mem.counts.written[ALGORITHM])
            .text,
        count_text(extra).text);
    free(O);
    free(L);
}

static void chapter(const char *page, const char *title, const char *change)
{
    printf("| [%.2s %s](docs/%s.md) | %s | ", page, title, page, change);
}

int main(void)
{
    const float factor = 10; /* of the scores, to reach the cliff */
    bundle b;
    int failed = read_bundle(&b);

    if (!failed) {
        printf("| chapter | the one change | counted on the bundled Q, K, V "
               "|\n|---|---|---|\n");
        chapter("01_naive_softmax", "Naive softmax",
                "the definition, word for word");
        softmax_line(&b, chapter_01_steps, factor);
        printf(" |\n");
        chapter("02_safe_softmax", "Safe softmax",
                "subtract the row's maximum first");
        softmax_line(&b, chapter_02_steps, factor);
        printf(" |\n");
        chapter("03_online_softmax", "Online softmax",
                "maximum and sum in one pass; blocks merge");
        softmax_line(&b, chapter_03_steps, factor);
        printf(" |\n");
        chapter("04_tiled_attention", "Tiled attention",
                "S is not stored: the output joins the running state");
        printf("from ");
        attention_line(&b, &chapter_04_steps[0]);
        printf(", to ");
        attention_line(&b, &chapter_04_steps[4]);
        printf(" |\n");
        chapter("05_flash1", "FlashAttention",
                "a tile of queries shares each tile of keys");
        attention_line(&b, &chapter_05_steps[0]);
        printf(" |\n");
        chapter("06_flash2", "FlashAttention-2",
                "divide once, swap the loops: O stays on chip");
        attention_line(&b, &chapter_06_steps[1]);
        printf(" |\n");
    }
    npy_free(&b.q);
    npy_free(&b.k);
    npy_free(&b.v);
    return report_end(failed);
}
