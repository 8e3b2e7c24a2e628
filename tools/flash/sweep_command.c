#include "tools/flash/commands.h"

#include <math.h>
#include <string.h>

#include "common/print/outside.h"
#include "common/print/report.h"

enum { BACKWARD = PROBLEM_OPTIONS, STEPS, OVER, CSV, TYPE, OPTIONS };
enum { OVER_N, OVER_D, OVER_SRAM, OVER_BR, OVER_ALL };
static const char *const overs[] = {"n", "d", "sram", "br", "all", NULL};

typedef struct {
    const option *o;
    bool backward;
    listed_step list[MOST_LISTED];
    size_t n;
    bool any; /* a line was printed */
} sweep;

/* --- Lines ---------------------------------------------------------------- */

static void print_number(bool known, size_t n)
{
    if (known)
        printf(",%zu", n);
    else
        printf(",");
}

static void print_counts(const problem *p, const char *name, bool known,
                         tile_sizes t, const counts *c, const counts *formula)
{
    const layer *l = &p->layer;
    const head *h = &l->each;
    bool bounded = p->M != MEMORY_UNBOUNDED;

    printf("%s,%zu,%zu,%zu,%zu,%zu,%zu", name, l->B, l->Hq, h->Nq, h->Nk, h->d,
           h->dv);
    print_number(t.Bc != 0, t.Br);
    print_number(t.Bc != 0, t.Bc);
    print_number(known && bounded && steps_have_M, p->M);
    print_number(known, c->read[ALGORITHM]);
    print_number(known, c->written[ALGORITHM]);
    print_number(known, counts_in(*c, INIT));
    print_number(known, counts_in(*c, LSE));
    print_number(known, counts_in(*c, MASK));
    print_number(known, counts_moved(*formula));
}

/* fabs removes the sign of a NaN, which depends on the processor. */
static void print_forward(sweep *s, const problem *p, const measurement *m)
{
    const counts *c = &m->counted;
    bool known = is_counted(m->step) && steps_have_M;

    if (!s->any)
        puts("step,B,H,Nq,Nk,d,dv,Br,Bc,M,hbm_read,hbm_written,init,L,mask,"
             "formula,onchip,extra,exps,rescales,divisions,error,ms");
    s->any = true;
    print_counts(p, m->step->name, is_counted(m->step), m->tiles, c,
                 &m->formula);
    print_number(known, m->on_chip);
    print_number(known, m->extra);
    print_number(known, c->exps);
    print_number(known, c->rescales);
    print_number(known, c->divisions);
    printf(",%.3e,%.3f\n", fabs(m->error), 1e3 * m->seconds);
}

static void print_backward(sweep *s, const problem *p,
                           const backward_measurement *m)
{
    const counts *c = &m->counted;
    bool known = m->step->formula != NULL;
    bool operations = known && m->step->run;

    if (!s->any)
        puts("step,B,H,Nq,Nk,d,dv,Br,Bc,M,hbm_read,hbm_written,init,L,mask,"
             "formula,forward,products,exps,divisions,dQ,dK,dV,ms");
    s->any = true;
    print_counts(p, m->step->name, known, m->tiles, c, &m->formula);
    print_number(known, counts_moved(m->forward));
    print_number(true, m->step->products);
    print_number(operations, c->exps);
    print_number(operations, c->divisions);
    printf(",%.3e,%.3e,%.3e,%.3f\n", fabs(m->errors.dQ), fabs(m->errors.dK),
           fabs(m->errors.dV), 1e3 * m->seconds);
}

/* If tiled, prints only steps that have tiles. Returns the status. */
static int print_lines(sweep *s, user_problem *u, bool tiled)
{
    problem *p = &u->b.forward;

    for (size_t k = 0; k < s->n && p->status == 0; k++) {
        const listed_step *listed = &s->list[k];
        const attention_step *step = NULL;
        const backward_step *back = NULL;
        fitted_step with;
        backward_measurement m_back;
        measurement m;

        if (tiled && !(s->backward ? listed->back->tiles : listed->step->tiles))
            continue;
        if (s->backward)
            back = fit_backward(&with, u, listed->back);
        else
            step = fit_forward(&with, u, listed->step);
        if (p->status)
            break;
        progress("%s: %zu queries, d = %zu, M = %zu", listed->name,
                 p->layer.each.Nq, p->layer.each.d, p->M);
        if (s->backward)
            measure_backward_runs(&m_back, &u->b, back, 1);
        else
            measure_runs(&m, p, step, 1, true);
        progress_done();
        if (p->status == 0 && s->backward)
            print_backward(s, p, &m_back);
        else if (p->status == 0)
            print_forward(s, p, &m);
    }
    return p->status;
}

/* --- Sweeps --------------------------------------------------------------- */

static int make(sweep *s, user_problem *u, const problem_sizes *sizes)
{
    int status = user_problem_of(u, s->o, sizes);

    if (status == 0 && s->backward)
        status = user_problem_backward(u, NULL);
    return status;
}

static int one_problem(sweep *s, const problem_sizes *sizes)
{
    user_problem u;
    int status = make(s, &u, sizes);

    if (status == 0)
        status = print_lines(s, &u, false);
    user_problem_free(&u);
    return status;
}

static int too_low(const char *limit, const char *over, size_t last,
                   size_t first)
{
    return refused(2, limit,
                   "%zu is too small for a sweep of %s (allowed: at least %zu)",
                   last, over, first);
}

/* N is 64, 128, ... up to --n, or d is 8, 16, ... up to --d. By default --n is
 * 4096 (2048 for --over all; half as much for the backward pass). */
static int over_sizes(sweep *s, bool is_n)
{
    const option *o = s->o, *given = &o[is_n ? OPT_N : OPT_D];
    const option *other = &o[is_n ? OPT_NK : OPT_DV];
    problem_sizes sizes = requested_sizes(o);
    size_t *size = is_n ? &sizes.Nq : &sizes.d;
    size_t *follows = is_n ? &sizes.Nk : &sizes.dv;
    size_t most = o[OVER].choice == OVER_ALL ? 2048 : 4096;
    size_t first = is_n ? 64 : 8;
    size_t last = given->given  ? given->size
                  : !is_n       ? 128
                  : s->backward ? most / 2
                                : most;
    int status = 0;

    if (last < first)
        return too_low(given->name, is_n ? "n" : "d", last, first);
    for (size_t n = first; n && n <= last && status == 0; n *= 2) {
        *size = n;
        *follows = other->given ? other->size : n;
        status = one_problem(s, &sizes);
    }
    return status;
}

/* M is each power of two that holds a tile, up to --sram (65536 by default). */
static int over_sram(sweep *s)
{
    size_t last = s->o[OPT_SRAM].given ? s->o[OPT_SRAM].size : 65536, first = 1;
    problem_sizes sizes = requested_sizes(s->o);
    user_problem u;
    problem *p = &u.b.forward;
    int status = make(s, &u, &sizes);
    size_t columns = p->layer.each.d + p->layer.each.dv;

    while (status == 0 && first < (s->backward ? 4 : 2) * columns)
        first *= 2;
    if (status == 0 && last < first)
        status = too_low("--sram", "sram", last, first);
    for (p->M = first; p->M && p->M <= last && status == 0; p->M *= 2)
        status = print_lines(s, &u, p->M != first);
    user_problem_free(&u);
    return status;
}

/* Prints lines for different Br : Bc. M elements hold R = M / (d + dv) rows of
 * Q and O, or of K and V. Br is 1/16 to 15/16 of R, and Bc is R - Br. */
static int over_br(sweep *s)
{
    const option *o = s->o;
    size_t M = o[OPT_SRAM].given ? o[OPT_SRAM].size : 16384, rows = 0;
    problem_sizes sizes = requested_sizes(o);
    user_problem u;
    problem *p = &u.b.forward;
    head *h = &p->layer.each;
    int status;

    sizes.d = o[OPT_D].given ? sizes.d : 64;
    sizes.dv = o[OPT_DV].given ? sizes.dv : sizes.d;
    status = make(s, &u, &sizes);
    p->M = M;
    if (status == 0)
        rows = min_size(M, SIZE_MAX / 16) / (h->d + h->dv);
    if (status == 0 && rows < 2)
        status = too_low("--sram", "br", M, 2 * (h->d + h->dv));
    for (size_t part = 1; part < 16 && status == 0; part++) {
        h->tile.Br = rows * part / 16;
        h->tile.Bc = rows - h->tile.Br;
        if (h->tile.Br && h->tile.Bc)
            status = print_lines(s, &u, s->any && part > 1);
    }
    user_problem_free(&u);
    return status;
}

static int print_sweep(sweep *s, size_t over)
{
    switch (over) {
    case OVER_N:
        return over_sizes(s, true);
    case OVER_D:
        return over_sizes(s, false);
    case OVER_SRAM:
        return over_sram(s);
    case OVER_BR:
        return over_br(s);
    }
    for (size_t k = OVER_N; k < OVER_ALL; k++) {
        int status = k == OVER_BR && s->backward ? 0 : print_sweep(s, k);

        if (status)
            return status;
    }
    return 0;
}

/* --- The command ---------------------------------------------------------- */

/* names are separated by commas. If names is NULL, chooses all steps except
 * variants. Returns 0, or 2 after one line on stderr. */
static int choose_steps(sweep *s, const char *names)
{
    listed_step all[MOST_LISTED];
    size_t n = s->backward ? backward_steps(all)
                           : forward_steps(all, step_type(s->o[TYPE].choice));

    for (size_t k = 0; k < n && !names; k++)
        if (!all[k].is_variant)
            s->list[s->n++] = all[k];
    while (names && *names) {
        size_t length = strcspn(names, ","), k = 0;

        while (k < n && (strlen(all[k].name) != length ||
                         strncmp(all[k].name, names, length) != 0))
            k++;
        if (k == n)
            return refused(2, "--steps",
                           "'%.*s' is not allowed (allowed: names that flash "
                           "steps prints, separated by commas)",
                           (int)min_size(length, 40), shown(names).text);
        if (s->n == MOST_LISTED)
            return refused(2, "--steps", "too many names (allowed: %d)",
                           MOST_LISTED);
        s->list[s->n++] = all[k];
        names += length + (names[length] == ',');
    }
    return 0;
}

static int check(const option o[])
{
    static const option_rule rules[] = {
        {OVER, OVER, NOT_WITH, OPT_BR, OPT_BC},
        {0},
    };
    size_t over = o[OVER].choice;

    if (options_obey(o, rules) || problem_check(o))
        return 2;
    if (o[OVER].given && o[OPT_Q].given)
        return refused(2, o[OVER].name,
                       "not together with --q (its sizes are fixed)");
    if (o[OVER].given && over >= OVER_SRAM && !steps_have_M)
        return refused(2, o[OVER].name,
                       "%s is not allowed in chapter 07 (allowed: n d)",
                       overs[over]);
    if (o[OVER].given && over == OVER_BR && o[BACKWARD].given)
        return refused(2, o[OVER].name,
                       "br is not allowed with --backward (allowed: n d "
                       "sram all)");
    if (o[OVER].given && over != OVER_SRAM && over != OVER_BR &&
        (o[OPT_MASK].given || o[OPT_BLOCK_MASK].given))
        return refused(2, o[OVER].name, "%s does not fit the mask's shape",
                       overs[over]);
    return 0;
}

int sweep_command(int argc, char **argv)
{
    const char about[] =
        "Prints traffic, counts, errors and times of steps as CSV.";
    const char examples[] =
        "  ./flash sweep --over n --steps flash1,flash2 >build/n.csv\n"
        "  ./flash sweep --n 200 --d 32 --sram 4096\n";
    option o[OPTIONS + 1] = {{0}};
    sweep s = {.o = o};
    int status;

    problem_options(o);
    o[BACKWARD] = (option)FLAG_OPTION("backward", "run the backward steps");
    o[STEPS] = (option)FILE_OPTION("steps", "A,B", "run only these steps");
    o[OVER] = (option)CHOICE_OPTION("over", "WHAT", overs, 0,
                                    "vary n, d or M (sram), or Br : Bc (br):");
    o[CSV] = (option)FLAG_OPTION("csv", "no effect: the output is always CSV");
    o[TYPE] = (option)CHOICE_OPTION("type", "TYPE", step_types, 0,
                                    "type of steps that support several:");
    if (steps_have_M)
        o[TYPE].help = NULL;
    if (!options_parse(o, about, examples, argc, argv, &status))
        return status;
    s.backward = o[BACKWARD].given;
    if (check(o) || choose_steps(&s, o[STEPS].file))
        return 2;
    return o[OVER].given ? print_sweep(&s, o[OVER].choice)
                         : one_problem(&s, NULL);
}
