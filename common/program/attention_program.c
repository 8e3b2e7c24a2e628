/*
 * The program of chapters 04 to 06 (attention_program.h).
 */
#include "common/program/attention_program.h"

#include "common/program/attention_report.h"
#include "common/program/options.h"
#include "common/program/outputs.h"
#include "common/print/report.h"

#include <string.h>

static int print_list(const attention_step *s)
{
    for (; s && s->name; s++)
        printf("%s\t%s\t%s\n", s->name, precision_name(s->type), s->idea);
    return 0;
}

/* What n steps were measured to be; truth may be NULL. */
static void print_tables(const request *r, const layer *p,
                         const measurement m[], size_t n,
                         const attention_truth *truth)
{
    report_problem(p, r->M);
    if (r->from_files && p->Hk > p->each.Nk)
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
    if (r->bare) {
        puts("");
        r->chapter->lesson(p, r->o[OPT_SRAM].size, m);
    }
    puts("");
}

/* All steps, or --step's; or one whose outputs go into files. They are what is
 * asked for: how far off they are would take float64 longer to say. */
static int show(const request *r)
{
    const option *o = r->o;
    bool writes = o[OPT_OUT].given, one = writes || o[OPT_STEP].given;
    size_t first = one ? r->step : 0, n = 0;
    measurement m[MOST_STEPS];
    attention_truth truth = {0}, *known = writes ? NULL : &truth;
    attention_arrays a;
    int status;

    if (r->bare && r->chapter->opening)
        r->chapter->opening();
    status = request_problem(r, r->random ? &r->sizes : NULL, &a);
    if (status == 0 && known)
        status = truth_of(&a.problem, known);
    for (; status == 0 && (one ? n < 1 : n < r->also); n++)
        status = measure(&a.problem, r->steps[first + n], r->M, writes ? 1 : 3,
                         known, &m[n]);
    if (status == 0)
        print_tables(r, &a.problem, m, n, known);
    if (status == 0 && writes)
        status = outputs_write(o[OPT_OUT].file, &a.O,
                               o[OPT_LSE].given ? o[OPT_LSE].file : NULL, &a.L);
    else if (status == 0)
        next_step("%s", r->bare ? r->chapter->next : "./run --help");
    truth_free(&truth);
    arrays_free(&a);
    return status;
}

int attention_program(const attention_chapter *chapter, int argc, char **argv)
{
    request r;
    int status;

    if (!request_read(&r, chapter, argc, argv, &status))
        return report_end(status);
    if (r.o[OPT_LIST].given)
        status = print_list(r.own_steps) | print_list(chapter->also);
    else if (r.o[OPT_TRACE].given)
        status = chapter->trace ? chapter->trace() : become("trace", argv);
    else
        status = r.o[OPT_CSV].given ? print_csv(&r) : show(&r);
    return report_end(status);
}

bool asks_backward(int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--backward") == 0)
            return true;
    return false;
}
