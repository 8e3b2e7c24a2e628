/*
 * The program of chapters 04 to 07, when it is asked something
 * (attention_program.h).
 */
#include "common/program/attention_program.h"

#include "common/program/attention_report.h"
#include "common/program/become.h"

#include <string.h>

static int print_list(const attention_step *s)
{
    for (; s && s->name; s++)
        printf("%s\t%s\t%s\n", s->name, precision_name(s->type), s->idea);
    return 0;
}

void print_tables(const request *r, const layer *p, const measurement m[],
                  size_t n, const attention_truth *truth)
{
    report_problem(p, r->M);
    if (asks_files(r->o) && p->Hk > p->each.Nk)
        prose("K has more heads than keys. If it is (B, N, H, d), its axes 1 "
              "and 2 are to be swapped, and those of Q and V: "
              "np.ascontiguousarray(k.swapaxes(1, 2)).");
    puts("");
    if (r->chapter->tables)
        r->chapter->tables(m, n);
    else
        report_steps(m, n);
    if (truth)
        report_truth(truth);
    puts("");
}

/* All steps, or --step's. */
static int show(const request *r)
{
    bool one = r->o[OPT_STEP].given;
    random_sizes sizes = asked_sizes(r->o);
    size_t first = one ? r->step : 0, n = 0;
    measurement m[MOST_STEPS];
    attention_truth truth = {0};
    attention_arrays a;
    int status = problem_arrays(r->o, asks_random(r->o) ? &sizes : NULL, &a);

    if (status == 0)
        status = truth_of(&a.problem, &truth);
    for (; status == 0 && (one ? n < 1 : n < r->also); n++)
        status =
            measure(&a.problem, r->steps[first + n], r->M, 3, &truth, &m[n]);
    if (status == 0) {
        print_tables(r, &a.problem, m, n, &truth);
        next_step("%s --help",
                  r->chapter->called ? r->chapter->called : "./run");
    }
    truth_free(&truth);
    arrays_free(&a);
    return status;
}

/* --- The program ----------------------------------------------------------- */

static int obey(const request *r, char **argv)
{
    const attention_chapter *c = r->chapter;
    const option *o = r->o;

    if (o[OPT_LIST].given)
        return print_list(r->own_steps) | print_list(c->also);
    if (o[OPT_TRACE].given)
        return c->trace ? c->trace() : become("trace", argv);
    if (asks_files(o) || o[OPT_OUT].given || o[OPT_LSE].given ||
        o[OPT_SWEEP].given || o[OPT_CSV].given)
        return attention_files(r);
    if (asks_nothing(o) && c->lesson)
        return c->lesson(r->type);
    return show(r);
}

int attention_program(const attention_chapter *chapter, int argc, char **argv)
{
    request r;
    int status;

    if (request_read(&r, chapter, argc, argv, &status))
        status = obey(&r, argv);
    return report_end(status);
}

bool asks_backward(int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--backward") == 0)
            return true;
    return false;
}
