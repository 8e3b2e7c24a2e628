/*
 * Rounds (bench_rounds.h).
 */
#include "docs/lab/bench_rounds.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_ROUNDS = 3 };

static const double least_seconds = 0.02; /* as long as a probe takes */

void race_join(race *r, const char *name, const void *step)
{
    double seconds;

    if (r->n == MOST_CONTENDERS)
        return;
    progress("%s: %s", r->title, name);
    seconds = r->run(r->problem, step);
    if (seconds >= 0)
        r->all[r->n++] = (contender){.name = name,
                                     .step = step,
                                     .error = r->error(r->problem),
                                     .seconds = {seconds}};
}

/* The mean of so many runs. */
static double mean_seconds(const race *r, const contender *c, size_t runs)
{
    double sum = 0;

    for (size_t k = 0; k < runs; k++)
        sum += r->run(r->problem, c->step);
    return sum / (double)runs;
}

void race_run(race *r)
{
    size_t runs[MOST_CONTENDERS], rounds[MOST_CONTENDERS];

    for (size_t k = 0; k < r->n; k++) {
        double seconds = r->all[k].seconds[0]; /* of the warm-up */

        runs[k] = (size_t)ceil(least_seconds / seconds);
        rounds[k] = (size_t)fmin(
            MOST_ROUNDS,
            fmax(LEAST_ROUNDS, r->patience / ((double)runs[k] * seconds)));
    }
    for (size_t nth = 0; nth < MOST_ROUNDS; nth++) {
        double before = r->probe(r->problem);

        for (size_t k = 0; k < r->n; k++) {
            contender *c = &r->all[k];
            double after;

            if (nth >= rounds[k] || (nth > 0 && stopwatch() >= r->until))
                continue;
            progress("%s: round %zu of %zu, %s", r->title, nth + 1, rounds[k],
                     c->name);
            c->seconds[nth] = mean_seconds(r, c, runs[k]);
            after = r->probe(r->problem);
            c->share[nth] = r->work / c->seconds[nth] / ((before + after) / 2);
            before = after;
            c->done++;
        }
    }
    progress_done();
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double quantile(double *x, size_t n, double p)
{
    qsort(x, n, sizeof *x, by_value);
    return x[(size_t)(p * (double)(n - 1) + 0.5)];
}

double median_seconds(contender *c)
{
    return quantile(c->seconds, c->done, 0.5);
}

double spread_of(contender *c)
{
    return (quantile(c->seconds, c->done, 0.75) -
            quantile(c->seconds, c->done, 0.25)) /
           median_seconds(c);
}

static size_t refused;

bool race_row(const race *r, contender *c, table *t)
{
    double seconds = median_seconds(c);
    double share = quantile(c->share, c->done, 0.5);

    if (!(share <= r->most)) {
        table_row(t, "%s|refused|%.0f %%", c->name, 100 * share);
        refused++;
        return false;
    }
    table_row(t, "%s|%.1f|%.1f %%|%.2f|%.0f %%|%s", c->name,
              r->work / seconds * 1e-9, 100 * share, seconds * 1e3,
              100 * spread_of(c), error_text(c->error).text);
    return true;
}

void print_refused(void)
{
    if (refused)
        printf("%zu figure%s refused: above what the probes beside %s found "
               "possible.\nOther programs took the machine meanwhile; the "
               "rows that are there hold.\n",
               refused, refused == 1 ? "" : "s", refused == 1 ? "it" : "them");
}
