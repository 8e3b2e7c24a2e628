/*
 * The weights of a real head, and how the running maximum finds its way through
 * them: P = e^{S - L} with flash2's own L, of head 8 of the bundled layer.
 *
 *     make lab-weights
 *
 * Lines: tiles, Br, Bc | token, nth, its text | p, query, key, weight (those
 * of at least 1%) | max, query, key, the largest score up to that key (some
 * queries).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "06_flash2/steps.h"
#include "common/problem/attention_arrays.h"
#include "common/judge/reference_attention.h"
#include "common/print/report.h"

#define M_ON_CHIP 8192 /* elements, as in the chapters' programs */
#define LEAST     0.01

enum { HEAD = 8 };

static const size_t followed[] = {8, 100, 230}; /* queries */

static int run_flash2(const head *h)
{
    memory mem;
    int error;

    memory_init(&mem, M_ON_CHIP);
    error = flash2(h, &mem);
    if (error)
        fprintf(stderr, "weights: %s\n", mem.message);
    memory_reset(&mem);
    return error;
}

static int print_tokens(const char *path)
{
    FILE *file = fopen(path, "r");
    char token[64];

    if (!file) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return 1;
    }
    for (size_t i = 0; fgets(token, sizeof token, file); i++) {
        token[strcspn(token, "\n")] = '\0';
        printf("token\t%zu\t%s\n", i, token);
    }
    fclose(file);
    return 0;
}

static void print_weights(const head *h)
{
    for (size_t i = 0; i < h->Nq; i++)
        for (size_t j = 0; j < h->Nk; j++) {
            double s = reference_score(h, i, j);
            double p = exp(s - (double)*row(h->L.hbm, i));

            if (p >= LEAST)
                printf("p\t%zu\t%zu\t%.2f\n", i, j, p);
        }
}

static void print_running_max(const head *h, size_t i)
{
    double m = (double)-INFINITY;

    for (size_t j = 0; j < h->Nk; j++) {
        m = fmax(m, reference_score(h, i, j));
        printf("max\t%zu\t%zu\t%.3f\n", i, j, m);
    }
}

int main(void)
{
    attention_arrays a;
    int failed = arrays_bundled(&a);

    if (!failed) {
        head h = head_at(&a.problem, HEAD);
        tile_sizes t = flash2_tiles(&h, M_ON_CHIP);

        failed = run_flash2(&h) || print_tokens("common/data/tokens.txt");
        printf("tiles\t%zu\t%zu\n", t.Br, t.Bc);
        if (!failed)
            print_weights(&h);
        for (size_t k = 0; k < sizeof followed / sizeof *followed; k++)
            print_running_max(&h, followed[k]);
    }
    arrays_free(&a);
    return report_end(failed);
}
