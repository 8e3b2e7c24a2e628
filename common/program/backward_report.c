/*
 * Tables and lines of what backward steps cost (backward_report.h).
 */
#include "common/program/backward_report.h"

#include <math.h>

#include "common/program/attention_report.h"

static void report_traffic(const backward_measurement m[], size_t n)
{
    table t = {0};
    bool any = false;

    table_row(&t, "HBM, elements|read|written|by formula|init, mask|"
                  "forward");
    for (size_t k = 0; k < n; k++) {
        const counts *c = &m[k].cost.counted;

        if (!m[k].step->formula)
            continue;
        any = true;
        table_row(&t, "%s|%s|%s|%s|%s|%s", m[k].step->name,
                  count_text(c->read[ALGORITHM]).text,
                  count_text(c->written[ALGORITHM]).text,
                  count_text(counts_moved(m[k].formula)).text,
                  count_text(moved(c, INIT) + moved(c, MASK)).text,
                  count_text(counts_moved(m[k].cost.forward)).text);
    }
    if (any) {
        table_print(&t);
        puts("");
    }
}

/* Of a kernel on a GPU only the bytes are counted. */
static bool counts_operations(const backward_step *step)
{
    return step->formula && step->run;
}

static words counted(const backward_measurement *m, size_t n)
{
    return counts_operations(m->step) ? count_text(n) : (words){"-"};
}

static words worst(const backward_measurement *m)
{
    return m->judged ? error_text(worst_gradient_error(m->errors))
                     : (words){"-"};
}

static void report_work(const backward_measurement m[], size_t n)
{
    table t = {0};

    table_row(&t, "operations|products|exps|divisions|worst error|time");
    for (size_t k = 0; k < n; k++)
        table_row(&t, "%s|%zu|%s|%s|%s|%s", m[k].step->name,
                  m[k].step->products,
                  counted(&m[k], m[k].cost.counted.exps).text,
                  counted(&m[k], m[k].cost.counted.divisions).text,
                  worst(&m[k]).text, time_text(m[k].cost.seconds).text);
    table_print(&t);
}

static void report_tiles(const backward_measurement m[], size_t n)
{
    char text[1000] = "";
    size_t used = 0;

    for (size_t k = 0; k < n && used + 100 < sizeof text; k++)
        if (m[k].tiles.Bc > 0)
            used +=
                (size_t)sprintf(text + used, "%s %s %zu x %zu", used ? "," : "",
                                m[k].step->name, m[k].tiles.Br, m[k].tiles.Bc);
    if (used)
        prose("Tiles, Br x Bc:%s.", text);
}

void backward_report(const backward_measurement m[], size_t n)
{
    report_traffic(m, n);
    report_work(m, n);
    report_tiles(m, n);
}

/* --- Comma-separated values ----------------------------------------------- */

void backward_csv_line(const layer *l, size_t M, const backward_measurement *m)
{
    const head *h = &l->each;
    const counts *c = &m->cost.counted;
    bool known = m->step->formula != NULL, tiled = m->tiles.Bc > 0;

    csv_header("step,B,H,Nq,Nk,d,dv,Br,Bc,M,hbm_read,hbm_written,init,mask,"
               "formula,onchip,extra,forward,products,exps,divisions,dQ,dK,dV,"
               "ms");
    printf("%s,%zu,%zu,%zu,%zu,%zu,%zu", m->step->name, l->B, l->Hq, h->Nq,
           h->Nk, h->d, h->dv);
    csv_cell(tiled, m->tiles.Br);
    csv_cell(tiled, m->tiles.Bc);
    csv_cell(known && M != MEMORY_UNBOUNDED, M);
    csv_cell(known, c->read[ALGORITHM]);
    csv_cell(known, c->written[ALGORITHM]);
    csv_cell(known, moved(c, INIT));
    csv_cell(known, moved(c, MASK));
    csv_cell(known, counts_moved(m->formula));
    csv_cell(known, m->cost.on_chip);
    csv_cell(known, m->cost.extra);
    csv_cell(known, counts_moved(m->cost.forward));
    csv_cell(true, m->step->products);
    csv_cell(counts_operations(m->step), c->exps);
    csv_cell(counts_operations(m->step), c->divisions);
    /* fabs: of NaN the sign is as the processor likes. */
    printf(",%.3e,%.3e,%.3e,%.3f\n", fabs(m->errors.dQ), fabs(m->errors.dK),
           fabs(m->errors.dV), 1e3 * m->cost.seconds);
}
