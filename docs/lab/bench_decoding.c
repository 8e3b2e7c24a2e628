/*
 * The benchmark of decoding (bench_decoding.h).
 */
#include "docs/lab/bench_decoding.h"

#include <stdio.h>

#include "06_flash2/steps.h"
#include "common/peak.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"
#include "docs/lab/bench_result.h"

enum { KEYS = 65536, ROUNDS = 7 };

static double bytes_of(const attention_problem *p)
{
    return 4 * (double)(p->d + p->dv) * (double)p->Nk * (double)p->Hk;
}

/* K and V lie side by side. */
static double reading(const attention_problem *p)
{
    return peak_read(thread_count(), p->K,
                     p->Hk * p->Nk * (size_t)(p->d + p->dv));
}

static int measure(const attention_problem *p, const attention_step *step,
                   table *t)
{
    double rate[ROUNDS], share[ROUNDS], middle, most, error;

    if (bench_run(p, step) < 0)
        return 1;
    error = bench_error(p);
    for (size_t r = 0; r < ROUNDS; r++) {
        double before = reading(p), seconds;

        progress("decoding, d %zu: round %zu of %d, %s", p->d, r + 1, ROUNDS,
                 step->name);
        seconds = bench_run(p, step);
        rate[r] = bytes_of(p) / seconds;
        share[r] = rate[r] / ((before + reading(p)) / 2);
    }
    progress_done();
    middle = quantile(share, ROUNDS, 0.5);
    most = quantile(rate, ROUNDS, 0.5);
    if (!(middle <= 1.1)) {
        fprintf(stderr,
                "bench: %s: %.1f GB/s is %.0f %% of what can be read: "
                "refused\n",
                step->name, most * 1e-9, 100 * middle);
        return 1;
    }
    table_row(t, "%s|%.1f|%.0f %%|%s", step->name, most * 1e-9, 100 * middle,
              error_text(error).text);
    return 0;
}

int bench_decoding(size_t d)
{
    attention_problem p;
    table t = {0};
    int failed = 0;

    if (bench_new(&p, (bench_shape){1, 8, KEYS, d}, false))
        return 1;
    p.Nq = 1;
    printf("\n");
    heading("decoding: (1, 8, 1 x %d, %zu)", KEYS, d);
    table_row(&t, "step|GB/s|of reading|error");
    for (const attention_step *s = chapter_06_steps; s->name; s++)
        if (s->run == flash2_parallel || s->run == split_kv ||
            s->run == split_kv_simd)
            failed |= measure(&p, s, &t);
    table_print(&t);
    bench_free(&p);
    return failed;
}
