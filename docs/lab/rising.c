/*
 * Rising rows, on which each score raises the maximum: what chapter 02's three
 * passes, chapter 03's two and its blocks of 64 lose against float64. 64 rows for
 * each length, of standard deviation 1 and 4. Prints one tab-separated table:
 * root mean squares over the rows; then the error of online_softmax over that of
 * safe_softmax, of these two numbers, and the least, middle and largest that a
 * single row has.
 *
 *     build/docs/lab/rising >build/lab/rising.tsv
 *
 * Seeded: two runs on one machine print the same bytes. docs/03_online_softmax.md
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "02_safe_softmax/steps.h"
#include "03_online_softmax/steps.h"
#include "common/judge/reference.h"
#include "common/print/outside.h"
#include "common/print/report.h"
#include "common/data/random.h"

enum { ROWS = 64, SHORTEST = 1 << 10, LONGEST = 1 << 20 };
enum { SAFE, ONLINE, MERGED, COMPARED };

static int by_float(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static int by_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* x, y and want: room for n numbers. */
static void print_line(double sigma, size_t n, float *x, float *y, double *want)
{
    static const softmax_step *const steps[COMPARED] = {
        &chapter_02_steps[0], &chapter_03_steps[0], &chapter_03_steps[1]};
    softmax_row r = {.n = n, .x = x, .y = y, .block = 64, .type = FP32};
    double mean[COMPARED] = {0}, ratio[ROWS];
    random_source random = random_seed(3);

    for (size_t k = 0; k < ROWS; k++) {
        double error[COMPARED];

        progress("sigma %g, %zu scores: row %zu of %d", sigma, n, k + 1, ROWS);
        random_fill(&random, x, n, sigma);
        qsort(x, n, sizeof *x, by_float);
        reference_softmax(x, want, n, NULL);
        for (size_t s = 0; s < COMPARED; s++) {
            steps[s]->run(&r);
            error[s] = relative_error(y, want, n);
            mean[s] += error[s] * error[s] / ROWS;
        }
        ratio[k] = error[ONLINE] / error[SAFE];
    }
    progress_done();
    qsort(ratio, ROWS, sizeof *ratio, by_double);
    printf("%g\t%zu\t%d\t%.2e\t%.2e\t%.2e\t%.3g\t%.3g\t%.3g\t%.3g\n", sigma, n,
           ROWS, sqrt(mean[SAFE]), sqrt(mean[ONLINE]), sqrt(mean[MERGED]),
           sqrt(mean[ONLINE] / mean[SAFE]), ratio[0], ratio[ROWS / 2],
           ratio[ROWS - 1]);
}

int main(void)
{
    float *x = malloc(LONGEST * sizeof *x), *y = malloc(LONGEST * sizeof *y);
    double *want = malloc(LONGEST * sizeof *want);
    int failed = !x || !y || !want;

    if (failed)
        refused(1, "rising", "no memory for rows of %d scores", LONGEST);
    else
        puts("sigma\tn\trows\tsafe_softmax\tonline_softmax\tmerged_softmax\t"
             "ratio\tleast\tmiddle\tmost");
    for (double sigma = 1; sigma <= 4 && !failed; sigma *= 4)
        for (size_t n = SHORTEST; n <= LONGEST; n *= 2)
            print_line(sigma, n, x, y, want);
    free(x);
    free(y);
    free(want);
    return report_end(failed);
}
