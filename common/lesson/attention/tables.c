/* Prints the tables of a chapter's program (measure.h). */
#include "common/lesson/attention/measure.h"

void print_problem(const layer *l, size_t M)
{
    const head *h = &l->each;
    char batch[40] = "", shared[40] = "", dv[40] = "", causal[48] = "";
    char window[48] = "", on_chip[48] = "";

    if (l->B != 1)
        snprintf(batch, sizeof batch, "batch of %zu, ", l->B);
    if (l->Hk != l->Hq)
        snprintf(shared, sizeof shared, " (%zu of K, V)", l->Hk);
    if (h->dv != h->d)
        snprintf(dv, sizeof dv, ", dv = %zu", h->dv);
    if (h->rule.causal)
        snprintf(causal, sizeof causal, ", causal, offset %ld", h->rule.offset);
    if (h->rule.window)
        snprintf(window, sizeof window, ", window %zu", h->rule.window);
    if (M == MEMORY_UNBOUNDED)
        snprintf(on_chip, sizeof on_chip, "; M unbounded");
    else if (M > 0)
        snprintf(on_chip, sizeof on_chip, "; M = %s elements",
                 count_text(M).text);
    prose("%s%zu head%s%s, %s quer%s, %s key%s, d = %zu%s%s%s%s%s", batch,
          l->Hq, l->Hq == 1 ? "" : "s", shared, count_text(h->Nq).text,
          h->Nq == 1 ? "y" : "ies", count_text(h->Nk).text,
          h->Nk == 1 ? "" : "s", h->d, dv, causal, window,
          l->alibi ? ", ALiBi" : "", on_chip);
    puts("");
}

void add_traffic(table *t, const char *name, const counts *c,
                 const counts *formula, size_t last)
{
    table_row(t, "%s|%s|%s|%s|%s|%s", name, count_text(c->read[ALGORITHM]).text,
              count_text(c->written[ALGORITHM]).text,
              count_text(counts_moved(*formula)).text,
              count_text(counts_crossed(*c) - counts_moved(*c)).text,
              count_text(last).text);
}

void print_traffic(const table *t, size_t rows)
{
    if (rows == 0)
        return;
    table_print(t);
    puts("");
}

words error_cell(const measurement *m)
{
    return m->judged ? error_text(m->error) : (words){"-"};
}

static words number(const measurement *m, size_t n)
{
    return is_counted(m->step) ? count_text(n) : (words){"-"};
}

static void print_work(const measurement m[], size_t n)
{
    table t = {0};

    table_row(&t, "operations|on chip|exps|rescales|divisions|error|time");
    for (size_t k = 0; k < n; k++) {
        const counts *c = &m[k].counted;

        if (m[k].done)
            table_row(&t, "%s|%s|%s|%s|%s|%s|%s", m[k].step->name,
                      number(&m[k], m[k].on_chip).text,
                      number(&m[k], c->exps).text,
                      number(&m[k], c->rescales).text,
                      number(&m[k], c->divisions).text, error_cell(&m[k]).text,
                      time_text(m[k].seconds).text);
    }
    table_print(&t);
}

void add_tiles(tiles_line *line, const char *name, tile_sizes t)
{
    tile_sizes last = line->last;
    char *end = line->text + line->used;
    size_t room = sizeof line->text - line->used;
    int n;

    if (t.Bc == 0 || room < 100)
        return;
    if (last.Bc == 0)
        n = snprintf(end, room, " %s", name);
    else if (last.Br == t.Br && last.Bc == t.Bc)
        n = snprintf(end, room, ", %s", name);
    else
        n = snprintf(end, room, " %zu x %zu; %s", last.Br, last.Bc, name);
    line->used += (size_t)n;
    line->last = t;
}

void print_tiles(const tiles_line *line)
{
    if (line->last.Bc)
        prose("Tiles, Br x Bc:%s %zu x %zu.", line->text, line->last.Br,
              line->last.Bc);
}

void print_measured(const measurement m[], size_t n)
{
    tiles_line line = {.used = 0};
    table t = {0};
    size_t rows = 0;

    table_row(&t, "HBM, elements|read|written|by formula|init, L%s%s|extra",
              counts_in(m->counted, MASK) ? ", mask" : "",
              counts_in(m->counted, AFTER) ? ", sink" : "");
    for (size_t k = 0; k < n; k++)
        if (m[k].done && is_counted(m[k].step)) {
            add_traffic(&t, m[k].step->name, &m[k].counted, &m[k].formula,
                        m[k].extra);
            rows++;
        }
    print_traffic(&t, rows);
    print_work(m, n);
    for (size_t k = 0; k < n; k++)
        if (m[k].done)
            add_tiles(&line, m[k].step->name, m[k].tiles);
    print_tiles(&line);
}

void print_error_rows(const problem *p)
{
    if (p->every > 1)
        printf("The error covers one in %zu of the %s rows.\n", p->every,
               count_text(heads_of(&p->layer) * p->layer.each.Nq).text);
    puts("");
}
