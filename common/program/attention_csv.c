/*
 * Comma-separated values of what was measured (attention_report.h).
 */
#include "common/program/attention_report.h"

#include <math.h>

static bool header_due;

void csv_begin(void)
{
    header_due = true;
}

void csv_header(const char *columns)
{
    if (header_due)
        puts(columns);
    header_due = false;
}

void csv_cell(bool known, size_t n)
{
    putchar(',');
    if (known)
        printf("%zu", n);
}

void csv_line(const layer *p, size_t M, const measurement *m)
{
    const counts *c = &m->counted;
    bool counted = is_counted(m->step), tiled = m->tiles.Bc != 0;
    bool on_chip = counted && M > 0;

    csv_header("step,B,H,Nq,Nk,d,dv,Br,Bc,M,hbm_read,hbm_written,init,L,mask,"
               "formula,onchip,extra,exps,rescales,divisions,error,ms");
    printf("%s,%zu,%zu,%zu,%zu,%zu,%zu", m->step->name, p->B, p->Hq, p->each.Nq,
           p->each.Nk, p->each.d, p->each.dv);
    csv_cell(tiled, m->tiles.Br);
    csv_cell(tiled, m->tiles.Bc);
    csv_cell(on_chip && M != MEMORY_UNBOUNDED, M);
    csv_cell(counted, c->read[ALGORITHM]);
    csv_cell(counted, c->written[ALGORITHM]);
    csv_cell(counted, moved(c, INIT));
    csv_cell(counted, moved(c, LSE));
    csv_cell(counted, moved(c, MASK));
    csv_cell(counted, moved(&m->formula, ALGORITHM));
    csv_cell(on_chip, m->on_chip);
    csv_cell(on_chip, m->extra);
    csv_cell(on_chip, c->exps);
    csv_cell(on_chip, c->rescales);
    csv_cell(on_chip, c->divisions);
    /* fabs: of NaN the sign is as the processor likes. */
    printf(",%.3e,%.3f\n", fabs(m->error), 1e3 * m->seconds);
}
