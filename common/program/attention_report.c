/*
 * Tables and values of what was measured (attention_report.h).
 */
#include "common/program/attention_report.h"

static words number(bool counted, size_t n)
{
    return counted ? count_text(n) : (words){"-"};
}

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
    if (p->each.causal)
        snprintf(causal, sizeof causal, ", causal, offset %ld", p->each.offset);
    if (p->each.window)
        snprintf(window, sizeof window, ", window %zu", p->each.window);
    if (M == MEMORY_UNBOUNDED)
        snprintf(on_chip, sizeof on_chip, "; M unbounded");
    else if (M > 0)
        snprintf(on_chip, sizeof on_chip, "; M = %s elements",
                 count_text(M).text);
    prose("%s%zu head%s%s, %s quer%s, %s key%s, d = %zu%s%s%s%s%s%s%s", batch,
          p->Hq, p->Hq == 1 ? "" : "s", shared, count_text(p->each.Nq).text,
          p->each.Nq == 1 ? "y" : "ies", count_text(p->each.Nk).text,
          p->each.Nk == 1 ? "" : "s", p->each.d, dv, causal, window,
          p->alibi ? ", ALiBi" : "", p->each.sink ? ", sinks" : "",
          p->each.blocks.of.data ? ", a block mask" : "", on_chip);
}

static void report_traffic(const measurement m[], size_t n)
{
    size_t counted = 0;
    table t = {0};

    table_row(&t, "HBM, elements|read|written|by formula|init, L%s|extra",
              moved(&m->counted, MASK) ? ", mask" : "");
    for (size_t k = 0; k < n; k++) {
        const counts *c = &m[k].counted;

        if (!is_counted(m[k].step))
            continue;
        counted++;
        table_row(
            &t, "%s|%s|%s|%s|%s|%s", m[k].step->name,
            count_text(c->read[ALGORITHM]).text,
            count_text(c->written[ALGORITHM]).text,
            count_text(moved(&m[k].formula, ALGORITHM)).text,
            count_text(moved(c, INIT) + moved(c, LSE) + moved(c, MASK)).text,
            count_text(m[k].extra).text);
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
    table t = {0};

    table_row(&t, "operations|on chip|exps|rescales|divisions|error|time");
    for (size_t k = 0; k < n; k++) {
        const counts *c = &m[k].counted;
        bool counted = is_counted(m[k].step);

        table_row(&t, "%s|%s|%s|%s|%s|%s|%s", m[k].step->name,
                  number(counted, m[k].on_chip).text,
                  number(counted, c->exps).text,
                  number(counted, c->rescales).text,
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
        used += (size_t)sprintf(text + used, " %s", m[k].step->name);
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

void report_truth(const attention_truth *truth)
{
    if (truth->every > 1)
        printf("The error is of one row in %zu of %s.\n", truth->every,
               count_text(truth->rows).text);
}
