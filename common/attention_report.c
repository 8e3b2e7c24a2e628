/*
 * Tables of what was measured (attention_report.h).
 */
#include "common/attention_report.h"

#include "common/prose.h"
#include "common/report.h"

static words number(bool counted, size_t n)
{
    return counted ? count_text(n) : (words){"-"};
}

void report_problem(const attention_problem *p, size_t M)
{
    if (p->B != 1)
        printf("batch of %zu, ", p->B);
    printf("%zu head%s", p->Hq, p->Hq == 1 ? "" : "s");
    if (p->Hk != p->Hq)
        printf(" (%zu of K, V)", p->Hk);
    printf(", %s queries, %s keys, d = %zu", count_text(p->Nq).text,
           count_text(p->Nk).text, p->d);
    if (p->dv != p->d)
        printf(", dv = %zu", p->dv);
    if (p->causal)
        printf(", causal (%ld)", p->offset);
    if (M == MEMORY_UNBOUNDED)
        printf("; M unbounded\n");
    else
        printf("; M = %s elements\n", count_text(M).text);
}

static void report_traffic(const measurement m[], size_t n)
{
    table t = {0};

    table_row(&t, "HBM, elements|read|written|by formula|init, L%s|extra",
              moved(&m->counted, MASK) ? ", mask" : "");
    for (size_t k = 0; k < n; k++) {
        const counts *c = &m[k].counted;
        bool counted = is_counted(m[k].step);

        table_row(
            &t, "%s|%s|%s|%s|%s|%s", m[k].step->name,
            number(counted, c->read[ALGORITHM]).text,
            number(counted, c->written[ALGORITHM]).text,
            number(counted, moved(&m[k].formula, ALGORITHM)).text,
            number(counted, moved(c, INIT) + moved(c, LSE) + moved(c, MASK))
                .text,
            number(counted, m[k].extra).text);
    }
    table_print(&t);
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
                  number(counted, c->divisions).text,
                  error_text(m[k].error).text, time_text(m[k].seconds).text);
    }
    table_print(&t);
}

/* "Tiles, Br x Bc: flash1 32 x 64, flash2 64 x 32." */
static void report_tiles(const measurement m[], size_t n)
{
    char text[1000] = "";
    size_t used = 0;

    for (size_t k = 0; k < n && used < sizeof text; k++)
        if (m[k].tiles.Bc)
            used += (size_t)snprintf(
                text + used, sizeof text - used, "%s %s %zu x %zu",
                used ? "," : "", m[k].step->name, m[k].tiles.Br, m[k].tiles.Bc);
    if (used)
        prose("Tiles, Br x Bc:%s.", text);
}

void report_steps(const measurement m[], size_t n, const attention_truth *truth)
{
    report_traffic(m, n);
    puts("");
    report_work(m, n);
    report_tiles(m, n);
    if (truth->every > 1)
        printf("The error is of every %zuth of the %s rows.\n", truth->every,
               count_text(truth->rows).text);
}
