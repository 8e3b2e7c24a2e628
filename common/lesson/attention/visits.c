/* Records and prints the tiles that a kernel visits (toy.h). */
#include "common/lesson/attention/toy.h"

#include "common/print/report.h"

#include <stdio.h>
#include <string.h>

/* Returns the name of array a, or '?'. step_run allocates m and l, so they are
 * identified by the order of their use: m is used first. */
static char name_of(visits *v, array a)
{
    const head *h = v->h;
    const array named[] = {h->Q, h->K, h->V, h->O, h->L};

    for (size_t k = 0; k < 5; k++)
        if (a.hbm.data == named[k].hbm.data)
            return "QKVOL"[k];
    for (size_t k = 0; k < 2; k++) {
        if (!v->scratch[k])
            v->scratch[k] = a.hbm.data;
        if (v->scratch[k] == a.hbm.data)
            return "ml"[k];
    }
    return '?';
}

/* Returns the visit to which a load or store belongs: the last one, or a new
 * one. A visit ends after its stores, or before another tile of Q or K is
 * loaded. */
static visit *visit_of(visits *v, bool stored, char name)
{
    visit *last = v->n ? &v->visit[v->n - 1] : NULL;

    if (last && (stored || !*last->wrote) &&
        !(strchr("QK", name) && strchr(last->read, name)))
        return last;
    if (v->n < MOST_VISITS)
        v->n++;
    v->visit[v->n - 1] = (visit){.i = v->i, .j = v->j};
    return &v->visit[v->n - 1];
}

static void note(void *watcher, bool stored, array a, size_t i0, matrix tile)
{
    visits *v = watcher;
    char name = name_of(v, a);
    visit *now = visit_of(v, stored, name);
    char *list = stored ? now->wrote : now->read;
    size_t used = strlen(list), nth = i0 / TOY_TILE;

    *(stored ? &now->out : &now->in) += tile.rows * tile.cols;
    snprintf(list + used, sizeof now->read - used, "%s%c%zu", used ? " " : "",
             name, nth);
    if (name == 'Q')
        v->i = now->i = nth;
    if (name == 'K')
        v->j = now->j = nth;
    now->pair |= name == 'Q' || name == 'K';
}

int visits_of(visits *v, toy *t, const attention_step *step)
{
    *v = (visits){.h = &t->head};
    return toy_run(t, step, note, v, &v->counts);
}

/* Returns the number of the visit of (i, j), from 1, or 0 if there is none. */
static size_t turn(const visits *v, size_t i, size_t j)
{
    for (size_t k = 0; k < v->n; k++)
        if (v->visit[k].pair && v->visit[k].i == i && v->visit[k].j == j)
            return k + 1;
    return 0;
}

static size_t total(const size_t by_account[ACCOUNTS])
{
    size_t sum = 0;

    for (size_t b = 0; b < ACCOUNTS; b++)
        sum += by_account[b];
    return sum;
}

typedef struct {
    char line[TOY_N / TOY_TILE + MOST_VISITS + 8][80];
    size_t n;
    int reads, writes; /* the widths of these columns */
} side;

static void add_line(side *s, const char *nth, const char *reads,
                     const char *writes, const char *in, const char *out)
{
    int width =
        snprintf(s->line[s->n], sizeof s->line[0], "%3s  %-*s  %-*s%5s%5s", nth,
                 s->reads, reads, s->writes, writes, in, out);

    s->n += width > 0;
}

/* Returns the lines for v, padded with empty lines to n visits. */
static side side_of(const visits *v, const char *title, size_t n)
{
    side s = {.reads = sizeof "reads" - 1, .writes = sizeof "writes" - 1};
    size_t in = 0, out; /* elements read and written up to a visit */

    if (!v)
        return s;
    out = total(v->counts.written);
    for (size_t k = 0; k < v->n; k++) {
        out -= v->visit[k].out; /* initial O, m and l remain */
        s.reads = (int)max_size((size_t)s.reads, strlen(v->visit[k].read));
        s.writes = (int)max_size((size_t)s.writes, strlen(v->visit[k].wrote));
    }
    snprintf(s.line[s.n++], 80, "%s", title);
    s.n++;
    snprintf(s.line[s.n++], 80, "          K0  K1");
    for (size_t i = 0; i < TOY_N / TOY_TILE; i++)
        snprintf(s.line[s.n++], 80, "      Q%zu %3zu %3zu", i, turn(v, i, 0),
                 turn(v, i, 1));
    s.n++;
    add_line(&s, "", "reads", "writes", "in", "out");
    add_line(&s, "0", "-", out ? "O m l" : "-", "0", count_text(out).text);
    for (size_t k = 0; k < v->n; k++) {
        const visit *at = &v->visit[k];

        in += at->in;
        out += at->out;
        add_line(&s, at->pair ? count_text(k + 1).text : "L", at->read,
                 *at->wrote ? at->wrote : "-", count_text(in).text,
                 count_text(out).text);
    }
    s.n += n - v->n + 1;
    snprintf(s.line[s.n++], 80, "     %zu elements read, %zu written",
             total(v->counts.read), total(v->counts.written));
    return s;
}

void visits_print(const visits *left, const char *left_title,
                  const visits *right, const char *right_title)
{
    size_t n = right && right->n > left->n ? right->n : left->n;
    side l = side_of(left, left_title, n);
    side r = side_of(right, right_title, n);

    for (size_t k = 0; k < l.n; k++)
        printf(*r.line[k] ? "%-45s%s\n" : "%s%s\n", l.line[k], r.line[k]);
}
