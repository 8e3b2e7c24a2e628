/*
 * The benchmark of decoding (bench_decoding.h).
 */
#include "docs/lab/bench_decoding.h"

#include <stdio.h>

#include "06_flash2/steps.h"
#include "common/speed/peak.h"
#include "common/print/report.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"
#include "docs/lab/bench_result.h"

enum { KEYS = 65536, ROUNDS = 7 };

/* The probe's order of reading may not be the very best. */
#define MOST_PERCENT 110

static double bytes_of(const layer *p)
{
    return 4 * (double)(p->each.d + p->each.dv) * (double)p->each.Nk *
           (double)p->Hk;
}

/* K and V lie side by side. */
static double reading(const layer *p)
{
    return peak_read(thread_count(), p->each.K.hbm.data,
                     p->Hk * p->each.Nk * (size_t)(p->each.d + p->each.dv));
}

void bench_decoding_header(FILE *tsv)
{
    fprintf(tsv, "step\tB\tH\tNk\td\tgb_per_s\tpercent_of_reading\terror\n");
}

static int measure(FILE *tsv, const layer *p, const attention_step *step,
                   table *t, double until)
{
    size_t rounds = 0;
    double rate[ROUNDS], share[ROUNDS], gb, percent, error;

    if (bench_run(p, step) < 0)
        return 1;
    error = bench_error(p);
    for (; rounds < ROUNDS && (!rounds || stopwatch() < until); rounds++) {
        double before = reading(p), seconds;

        progress("decoding, d %zu: round %zu of %d, %s", p->each.d, rounds + 1,
                 ROUNDS, step->name);
        seconds = bench_run(p, step);
        rate[rounds] = bytes_of(p) / seconds;
        share[rounds] = rate[rounds] / ((before + reading(p)) / 2);
    }
    progress_done();
    gb = quantile(rate, rounds, 0.5) * 1e-9;
    percent = quantile(share, rounds, 0.5) * 100;
    if (!(percent <= MOST_PERCENT)) {
        bench_refuse(t, step->name, percent / 100);
        return 0;
    }
    table_row(t, "%s|%.1f|%.0f %%|%s", step->name, gb, percent,
              error_text(error).text);
    fprintf(tsv, "%s\t%zu\t%zu\t%zu\t%zu\t%.2f\t%.1f\t%.2e\n", step->name, p->B,
            p->Hq, p->each.Nk, p->each.d, gb, percent, error);
    return 0;
}

int bench_decoding(FILE *tsv, size_t d, double until)
{
    layer p;
    table t = {0};
    int failed = 0;

    if (bench_new(&p, (bench_shape){1, 8, KEYS, d}, false))
        return 1;
    p.each = head_of_queries(&p.each, 0, 1);
    layer_give(&p, p.each.Q.hbm.data, p.each.K.hbm.data, p.each.V.hbm.data,
               p.each.O.hbm.data, p.each.L.hbm.data);
    printf("\n");
    heading("decoding: (1, 8, 1 x %d, %zu)", KEYS, d);
    table_row(&t, "step|GB/s|of reading|error");
    for (const attention_step *s = chapter_06_steps; s->name; s++)
        if (s->run == flash2_parallel || s->run == split_kv ||
            s->run == split_kv_simd)
            failed |= measure(tsv, &p, s, &t, until);
    table_print(&t);
    bench_free(&p);
    return failed;
}
