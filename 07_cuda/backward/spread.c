/*
 * Ten runs of each rung (spread.h): one head of 32 queries, whose dQ gets
 * something from each of 1,024 keys.
 */
#include "07_cuda/backward/spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/judge/reference_gradients.h"
#include "common/print/report.h"
#include "common/problem/random.h"

#include "07_cuda/backward/steps.h"

enum { QUERIES = 32, KEYS = 1024, COLUMNS = 64, RUNS = 10 };
enum { ROWS = QUERIES * COLUMNS, LONG = KEYS * COLUMNS };

typedef struct {
    float Q[ROWS], K[LONG], V[LONG], O[ROWS], L[QUERIES], dO[ROWS];
    float dQ[ROWS], dK[LONG], dV[LONG];
    float all[RUNS][ROWS]; /* dQ of each run */
    double want[ROWS], dK_too[LONG], dV_too[LONG];
} arrays;

static gradients problem_in(arrays *a)
{
    random_source source = random_seed(1);

    random_fill(&source, a->Q, ROWS, 1);
    random_fill(&source, a->K, LONG, 1);
    random_fill(&source, a->V, LONG, 1);
    random_fill(&source, a->dO, ROWS, 1);
    return (gradients){
        .h = {.Nq = QUERIES,
              .Nk = KEYS,
              .d = COLUMNS,
              .dv = COLUMNS,
              .scale = 0.125f,
              .Q = {matrix_of(a->Q, QUERIES, COLUMNS), FP32},
              .K = {matrix_of(a->K, KEYS, COLUMNS), FP32},
              .V = {matrix_of(a->V, KEYS, COLUMNS), FP32},
              .O = {matrix_of(a->O, QUERIES, COLUMNS), FP32},
              .L = {matrix_of(a->L, QUERIES, 1), FP32}},
        .dO = {matrix_of(a->dO, QUERIES, COLUMNS), FP32},
        .dQ = {matrix_of(a->dQ, QUERIES, COLUMNS), FP32},
        .dK = {matrix_of(a->dK, KEYS, COLUMNS), FP32},
        .dV = {matrix_of(a->dV, KEYS, COLUMNS), FP32},
    };
}

/* The largest |x - y|, over the largest |y|. */
static double off(const float *x, const double *y)
{
    double most = 0, largest = 0;

    for (size_t e = 0; e < ROWS; e++) {
        double d = fabs((double)x[e] - y[e]);

        most = isnan(d) || d > most ? d : most;
        largest = fmax(largest, fabs(y[e]));
    }
    return most / largest;
}

static size_t different(const arrays *a)
{
    size_t kinds = 0;

    for (size_t n = 0; n < RUNS; n++) {
        size_t k = 0;

        while (memcmp(a->all[k], a->all[n], sizeof a->all[0]) != 0)
            k++;
        kinds += k == n;
    }
    return kinds;
}

static int run_ten_times(const backward_step *step, const gradients *g,
                         arrays *a)
{
    double least = HUGE_VAL, most = 0;

    for (size_t n = 0; n < RUNS; n++) {
        memory mem;

        memory_init(&mem, 0);
        if (backward_step_run(step, g, &mem)) {
            fprintf(stderr, "%s: %s\n", step->name, mem.message);
            return 1;
        }
        memcpy(a->all[n], a->dQ, sizeof a->dQ);
        least = fmin(least, off(a->dQ, a->want));
        most = fmax(most, off(a->dQ, a->want));
    }
    printf("%-22s %9zu of %d   %.2e to %.2e\n", step->name, different(a), RUNS,
           least, most);
    return 0;
}

int print_spread(void)
{
    arrays *a = malloc(sizeof *a);
    gradients g;
    int status = 0;

    if (!a) {
        fprintf(stderr, "spread: out of memory\n");
        return 1;
    }
    g = problem_in(a);
    if (reference_forward(&g.h) ||
        reference_gradients(&g, a->want, a->dK_too, a->dV_too) < 0) {
        fprintf(stderr, "spread: out of memory\n");
        status = 1;
    }
    heading("The same problem ten times, blocks in another order each time");
    printf("%-22s %15s   %s\n", "step", "different dQ", "largest error of dQ");
    for (const backward_step *s = chapter_07_backward; s->name && !status; s++)
        status = run_ten_times(s, &g, a);
    free(a);
    return status;
}
