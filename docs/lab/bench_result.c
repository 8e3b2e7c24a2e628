/*
 * What a benchmark writes down (bench_result.h).
 */
#include "docs/lab/bench_result.h"

#include <stdlib.h>

#include "docs/lab/bench_problem.h"

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

double median_seconds(bench_result *r, size_t rounds)
{
    return quantile(r->seconds, rounds, 0.5);
}

void bench_header(FILE *tsv)
{
    fprintf(tsv, "step\tB\tH\tN\td\tcausal\tgflops\tpercent_of_peak\tms\t"
                 "spread\terror\n");
}

bool bench_line(FILE *tsv, table *t, const layer *p, bench_result *r,
                size_t rounds, double ratio)
{
    double seconds = median_seconds(r, rounds);
    double middle =
        quantile(r->seconds, rounds, 0.75) - quantile(r->seconds, rounds, 0.25);
    double rate = bench_flops(p) / seconds;
    double share = quantile(r->share, rounds, 0.5);

    if (!(share <= 1)) {
        bench_refuse(t, r->name, share);
        return false;
    }
    fprintf(tsv, "%s\t%zu\t%zu\t%zu\t%zu\t%d\t%.2f\t%.2f\t%.4f\t%.4f\t%.2e\n",
            r->name, p->B, p->Hq, p->each.Nq, p->each.d, p->each.causal,
            rate * 1e-9, 100 * share, seconds * 1e3, middle / seconds,
            r->error);
    table_row(t, "%s|%.1f|%.1f %%|%.2f|%.0f %%|%.*fx|%s", r->name, rate * 1e-9,
              100 * share, seconds * 1e3, 100 * middle / seconds,
              ratio < 10 ? 2 : 1, ratio, error_text(r->error).text);
    return true;
}

static size_t refused;

void bench_refuse(table *t, const char *name, double share)
{
    table_row(t, "%s|refused|%.0f %%", name, 100 * share);
    refused++;
}

void bench_end(void)
{
    if (refused)
        printf("%zu figure%s refused: above what the probes beside %s found "
               "possible.\nOther programs took the machine meanwhile; the "
               "rows that are there hold.\n",
               refused, refused == 1 ? "" : "s", refused == 1 ? "it" : "them");
}
