/*
 * Ten runs of each rung (spread.h): one head of 32 queries, whose dQ gets
 * something from each of 1,024 keys.
 */
#include "07_cuda/backward/spread.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/judge/backward_measure.h"
#include "common/print/report.h"

#include "07_cuda/backward/steps.h"

enum { QUERIES = 32, KEYS = 1024, COLUMNS = 64, RUNS = 10 };

static int run_ten_times(const backward_layer *b, const gradient_truth *truth,
                         const backward_step *step)
{
    static float all[RUNS][QUERIES * COLUMNS]; /* dQ of each run */
    double least = HUGE_VAL, most = 0;
    size_t kinds = 0;

    for (size_t n = 0; n < RUNS; n++) {
        backward_cost cost;
        double error;
        size_t k = 0;

        if (backward_run(b, step, SIZE_MAX, &cost))
            return 1;
        memcpy(all[n], b->dQ.data, sizeof all[n]);
        while (memcmp(all[k], all[n], sizeof all[n]) != 0)
            k++;
        kinds += k == n;
        error = gradient_errors_of(b, truth).dQ;
        least = fmin(least, error);
        most = isnan(error) || error > most ? error : most;
    }
    printf("%-22s %9zu of %d   %.2e to %.2e\n", step->name, kinds, RUNS, least,
           most);
    return 0;
}

int print_spread(void)
{
    const random_sizes sizes = {1, 1, 1, QUERIES, KEYS, COLUMNS, COLUMNS, 1};
    backward_layer b = {0};
    gradient_truth truth = {0};
    int status = arrays_random(&b.forward, &sizes) ||
                 backward_arrays(&b, NULL) || gradient_truth_of(&b, &truth);

    heading("The same problem ten times, blocks in another order each time");
    printf("%-22s %15s   %s\n", "step", "different dQ", "error of dQ");
    for (const backward_step *s = chapter_07_backward; s->name && !status; s++)
        status = run_ten_times(&b, &truth, s);
    gradient_truth_free(&truth);
    backward_free(&b);
    return status;
}
