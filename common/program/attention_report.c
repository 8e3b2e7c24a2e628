/*
 * Tables and values of what was measured (attention_program.h).
 */
#include "common/program/attention_program.h"

#include <math.h>

void report_problem(const layer *p, size_t M)
{
    char batch[40] = "", shared[40] = "", dv[40] = "", causal[48] = "";
    char window[48] = "";
    char on_chip[48] = "";

    if (p->B != 1)
        snprintf(batch, sizeof batch, "batch of %zu, ", p->B);
    if (p->Hk != p->Hq)
        snprintf(shared, sizeof shared, " (%zu of K, V)", p->Hk);
    if (p->each.dv != p->each.d)
        snprintf(dv, sizeof dv, ", dv = %zu", p->each.dv);
    if (p->each.rule.causal)
        snprintf(causal, sizeof causal, ", causal, offset %ld",
                 p->each.rule.offset);
    if (p->each.rule.window)
        snprintf(window, sizeof window, ", window %zu", p->each.rule.window);
    if (M == MEMORY_UNBOUNDED)
        snprintf(on_chip, sizeof on_chip, "; M unbounded");
    else if (M > 0)
        snprintf(on_chip, sizeof on_chip, "; M = %s elements",
                 count_text(M).text);
    prose("%s%zu head%s%s, %s quer%s, %s key%s, d = %zu%s%s%s%s%s%s%s", batch,
          p->Hq, p->Hq == 1 ? "" : "s", shared, count_text(p->each.Nq).text,
          p->each.Nq == 1 ? "y" : "ies", count_text(p->each.Nk).text,
          p->each.Nk == 1 ? "" : "s", p->each.d, dv, causal, window,
          p->alibi ? ", ALiBi" : "", p->each.rule.sink ? ", sinks" : "",
          p->each.rule.blocks.of.data ? ", a block mask" : "", on_chip);
}

/* Of a kernel back on a GPU only the bytes are counted. */
static bool counts_operations(const attention_step *step)
{
    return is_counted(step) && (!is_backward(step) || step->back);
}

static words number(bool counted, size_t n)
{
    return counted ? count_text(n) : (words){"-"};
}

static void report_traffic(const measurement m[], size_t n)
{
    bool back = is_backward(m->step);
    size_t counted = 0;
    table t = {0};

    table_row(&t, "HBM, elements|read|written|by formula|%s%s%s|%s",
              back ? "init" : "init, L",
              back || moved(&m->counted, MASK) ? ", mask" : "",
              moved(&m->counted, SINK) ? ", sink" : "",
              back ? "forward" : "extra");
    for (size_t k = 0; k < n; k++) {
        const counts *c = &m[k].counted;

        if (!is_counted(m[k].step))
            continue;
        counted++;
        table_row(
            &t, "%s|%s|%s|%s|%s|%s", m[k].name,
            count_text(c->read[ALGORITHM]).text,
            count_text(c->written[ALGORITHM]).text,
            count_text(moved(&m[k].formula, ALGORITHM)).text,
            count_text(counts_crossed(*c) - moved(c, ALGORITHM)).text,
            count_text(back ? moved(&m[k].forward, ALGORITHM) : m[k].extra)
                .text);
    }
    if (counted) {
        table_print(&t);
        puts("");
    }
}

words error_cell(const measurement *m)
{
    return m->judged ? error_text(m->error) : (words){"-"};
}

static void report_work(const measurement m[], size_t n)
{
    bool back = is_backward(m->step);
    table t = {0};

    table_row(&t, back ? "operations|products|exps|divisions|worst error|time"
                       : "operations|on chip|exps|rescales|divisions|error|"
                         "time");
    for (size_t k = 0; k < n; k++) {
        const counts *c = &m[k].counted;
        bool counted = counts_operations(m[k].step);
        words first = back ? count_text(m[k].step->products)
                           : number(counted, m[k].on_chip);
        char rescales[40] = "";

        if (!back)
            snprintf(rescales, sizeof rescales, "|%s",
                     number(counted, c->rescales).text);
        table_row(&t, "%s|%s|%s%s|%s|%s|%s", m[k].name, first.text,
                  number(counted, c->exps).text, rescales,
                  number(counted, c->divisions).text, error_cell(&m[k]).text,
                  time_text(m[k].seconds).text);
    }
    table_print(&t);
}

/* "Tiles, Br x Bc: flash1 32 x 64; flash2, split_kv 64 x 32." */
static void report_tiles(const measurement m[], size_t n)
{
    const measurement *last = NULL;
    char text[1000] = "";
    size_t used = 0;

    for (size_t k = 0; k < n && used + 100 < sizeof text; k++) {
        if (m[k].tiles.Bc == 0)
            continue;
        if (last && (last->tiles.Br != m[k].tiles.Br ||
                     last->tiles.Bc != m[k].tiles.Bc))
            used += (size_t)sprintf(text + used, " %zu x %zu;", last->tiles.Br,
                                    last->tiles.Bc);
        else if (last)
            text[used++] = ',';
        used += (size_t)sprintf(text + used, " %s", m[k].name);
        last = &m[k];
    }
    if (last)
        prose("Tiles, Br x Bc:%s %zu x %zu.", text, last->tiles.Br,
              last->tiles.Bc);
}

void report_steps(const measurement m[], size_t n)
{
    report_traffic(m, n);
    report_work(m, n);
    report_tiles(m, n);
}

/* --- Comma-separated values ------------------------------------------------ */

static bool header_due;

void csv_begin(void)
{
    header_due = true;
}

void csv_line(const layer *p, size_t M, const measurement *m)
{
    const counts *c = &m->counted;
    const head *h = &p->each;
    bool back = is_backward(m->step), tiled = m->tiles.Bc != 0;
    bool known = is_counted(m->step), on_chip = known && M > 0;
    bool operations = on_chip && counts_operations(m->step);
    const struct {
        const char *name; /* NULL: only the other direction has it */
        bool known;
        size_t n;
    } cells[] = {
        {"B", true, p->B},
        {"H", true, p->Hq},
        {"Nq", true, h->Nq},
        {"Nk", true, h->Nk},
        {"d", true, h->d},
        {"dv", true, h->dv},
        {"Br", tiled, m->tiles.Br},
        {"Bc", tiled, m->tiles.Bc},
        {"M", on_chip && M != MEMORY_UNBOUNDED, M},
        {"hbm_read", known, c->read[ALGORITHM]},
        {"hbm_written", known, c->written[ALGORITHM]},
        {"init", known, moved(c, INIT)},
        {back ? NULL : "L", known, moved(c, LSE)},
        {"mask", known, moved(c, MASK)},
        {"formula", known, moved(&m->formula, ALGORITHM)},
        {"onchip", on_chip, m->on_chip},
        {"extra", on_chip, m->extra},
        {back ? "forward" : NULL, known, moved(&m->forward, ALGORITHM)},
        {back ? "products" : NULL, true, m->step->products},
        {"exps", operations, c->exps},
        {back ? NULL : "rescales", operations, c->rescales},
        {"divisions", operations, c->divisions},
    };
    size_t n = sizeof cells / sizeof *cells;

    if (header_due) {
        printf("step");
        for (size_t k = 0; k < n; k++)
            if (cells[k].name)
                printf(",%s", cells[k].name);
        puts(back ? ",dQ,dK,dV,ms" : ",error,ms");
        header_due = false;
    }
    printf("%s", m->name);
    for (size_t k = 0; k < n; k++)
        if (cells[k].name)
            printf(cells[k].known ? ",%zu" : ",", cells[k].n);
    /* fabs: of NaN the sign is as the processor likes. */
    if (back)
        printf(",%.3e,%.3e", fabs(m->errors.dQ), fabs(m->errors.dK));
    printf(",%.3e,%.3f\n", fabs(back ? m->errors.dV : m->error),
           1e3 * m->seconds);
}
