/*
 * The table of the problem at hand (table_steps.h).
 */
#include "07_cuda/host/table_steps.h"

#include "common/print/report.h"
#include "common/program/attention_report.h"

#include "07_cuda/steps.h"

#ifdef CUDA_ON_CPU
/* "12,345|", a cell; none unless they are seen: at `full`. */
static words conflicts_cell(const struct cuda_counts *c)
{
    words w = {""};

    if (cuda_on_cpu_effort() == CUDA_FULL)
        snprintf(w.text, sizeof w.text, "%zu|",
                 (size_t)(c->shared_wavefronts - c->shared_wavefronts_best));
    return w;
}

void table_of_steps(const measurement m[], size_t n)
{
    bool full = cuda_on_cpu_effort() == CUDA_FULL;
    table t = {0};

    table_row(&t, "HBM, elements|read|written|by formula|barriers|%serror|time",
              full ? "conflicts|" : "");
    for (size_t k = 0; k < n; k++) {
        struct cuda_counts c = rung_counts(m[k].name);
        const counts *moves = &m[k].counted;

        size_t formula = moved(&m[k].formula, ALGORITHM);

        table_row(&t, "%s|%s|%s|%s|%s|%s%s|%s", m[k].name,
                  count_text(moves->read[ALGORITHM]).text,
                  count_text(moves->written[ALGORITHM]).text,
                  is_counted(m[k].step) ? count_text(formula).text : "-",
                  count_text((size_t)c.barriers).text, conflicts_cell(&c).text,
                  error_cell(&m[k]).text, time_text(m[k].seconds).text);
    }
    table_print(&t);
}
#else
void table_of_steps(const measurement m[], size_t n)
{
    table t = {0};

    table_row(&t, "rung|computes in|error|time, with copies");
    for (size_t k = 0; k < n; k++)
        table_row(&t, "%s|%s|%s|%s", m[k].name, precision_name(m[k].step->type),
                  error_cell(&m[k]).text, time_text(m[k].seconds).text);
    table_print(&t);
}
#endif
