/*
 * Prints the HBM traffic of four variants of chapter 06, and of flash2 on the
 * same problems. docs/variants.md
 */
#include <string.h>

#include "06_flash2/variants/steps.h"
#include "common/lesson/attention/measure.h"
#include "common/print/outside.h"

enum { SRAM = 8192 };

/* Sets V to the first dv columns of K. */
static void tie_values(const layer *p)
{
    for (size_t j = 0; j < p->B * p->Hk * p->each.Nk; j++)
        memcpy(p->each.V.hbm.data + j * p->each.dv,
               p->each.K.hbm.data + j * p->each.d, p->each.dv * sizeof(float));
}

static void share_keys(const layer *p, size_t n)
{
    for (size_t b = 1; b < p->B; b++) {
        head first = head_at(p, 0), h = head_at(p, b * p->Hq);

        memcpy(h.K.hbm.data, first.K.hbm.data, n * h.d * sizeof(float));
        memcpy(h.V.hbm.data, first.V.hbm.data, n * h.dv * sizeof(float));
    }
}

/* Adds a row with the traffic of flash2 and of step. All sequences share the
 * first `shared` keys; (size_t)-1: none, and V is the first dv columns of K. */
static int add_row(table *t, const attention_step *step, problem_sizes s,
                   size_t M, const char *title, size_t shared)
{
    problem p;
    measurement plain, variant;
    int failed = problem_random(&p, &s);

    if (!failed && shared == (size_t)-1)
        tie_values(&p.layer);
    else if (!failed)
        share_keys(&p.layer, shared);
    p.M = M;
    if (!failed) {
        measure_runs(&plain, &p, flash2_step, 1, true);
        measure_runs(&variant, &p, step, 1, true);
        failed = p.status;
    }
    if (!failed)
        table_row(t, "%s|%s|%s|%s|%s|%.3f|%s", variant.step->name, title,
                  count_text(counts_moved(plain.counted)).text,
                  count_text(counts_moved(variant.counted)).text,
                  count_text(counts_moved(variant.formula)).text,
                  (double)counts_moved(variant.counted) /
                      (double)counts_moved(plain.counted),
                  error_text(variant.error).text);
    problem_free(&p);
    return failed;
}

int main(void)
{
    const problem_sizes paged = {1, 1, 1, 1024, 1024, 64, 64, 1};
    const problem_sizes latent = {1, 16, 1, 1, 1024, 576, 512, 1};
    const problem_sizes batch = {32, 1, 1, 1, 1024, 64, 64, 1};
    table t = {0};
    int failed;

    table_row(&t, "step|problem|flash2|this step|by formula|ratio|error");
    failed =
        add_row(&t, lazy_rescale_step, paged, SRAM, "N 1024, d 64", 0) ||
        add_row(&t, paged_kv_step, paged, SRAM, "N 1024, d 64", 0) ||
        add_row(&t, mla_step, latent, 32768, "d 576, dv 512", (size_t)-1) ||
        add_row(&t, cascade_step, batch, SRAM, "batch 32, 960 shared", 960);
    if (!failed)
        table_print(&t);
    return report_end(failed);
}
