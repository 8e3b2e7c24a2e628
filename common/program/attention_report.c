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

/* A comma and a number; none if there is nothing to say. */
static void cell(bool known, size_t n)
{
    putchar(',');
    if (known)
        printf("%zu", n);
}

static void print_header(bool back)
{
    if (header_due)
        printf("step,B,H,Nq,Nk,d,dv,Br,Bc,M,hbm_read,hbm_written,init,%s\n",
               back ? "mask,formula,onchip,extra,forward,products,exps,"
                      "divisions,dQ,dK,dV,ms"
                    : "L,mask,formula,onchip,extra,exps,rescales,divisions,"
                      "error,ms");
    header_due = false;
}

void csv_line(const layer *p, size_t M, const measurement *m)
{
    const counts *c = &m->counted;
    bool back = is_backward(m->step), tiled = m->tiles.Bc != 0;
    bool known = is_counted(m->step), on_chip = known && M > 0;
    bool operations = on_chip && counts_operations(m->step);

    print_header(back);
    printf("%s,%zu,%zu,%zu,%zu,%zu,%zu", m->name, p->B, p->Hq, p->each.Nq,
           p->each.Nk, p->each.d, p->each.dv);
    cell(tiled, m->tiles.Br);
    cell(tiled, m->tiles.Bc);
    cell(on_chip && M != MEMORY_UNBOUNDED, M);
    cell(known, c->read[ALGORITHM]);
    cell(known, c->written[ALGORITHM]);
    cell(known, moved(c, INIT));
    if (!back)
        cell(known, moved(c, LSE));
    cell(known, moved(c, MASK));
    cell(known, moved(&m->formula, ALGORITHM));
    cell(on_chip, m->on_chip);
    cell(on_chip, m->extra);
    if (back) {
        cell(known, moved(&m->forward, ALGORITHM));
        cell(true, m->step->products);
    }
    cell(operations, c->exps);
    if (!back)
        cell(operations, c->rescales);
    cell(operations, c->divisions);
    /* fabs: of NaN the sign is as the processor likes. */
    if (back)
        printf(",%.3e,%.3e", fabs(m->errors.dQ), fabs(m->errors.dK));
    printf(",%.3e,%.3f\n", fabs(back ? m->errors.dV : m->error),
           1e3 * m->seconds);
}
