/*
 * The program of chapters 04 to 06 (attention_program.h).
 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "common/program/attention_program.h"

#include "common/program/attention_report.h"
#include "common/program/attention_request.h"
#include "common/program/options.h"
#include "common/print/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int print_list(const attention_step *s)
{
    for (; s->name; s++)
        printf("%s\t%s\t%s\n", s->name, precision_name(s->type), s->idea);
    return 0;
}

/* Measures steps first .. last, each with the best of that many runs. */
static int measure_steps(const request *r, const layer *p, size_t first,
                         size_t last, size_t runs, const attention_truth *truth,
                         measurement m[])
{
    int status = 0;

    for (size_t k = first; k <= last && status == 0; k++)
        status = measure(p, r->steps[k], r->M, runs, truth, &m[k - first]);
    return status;
}

/* The tables of one step (first = last) or of all; truth may be NULL. */
static int print_tables(const request *r, const layer *p, size_t first,
                        size_t last, size_t runs, const attention_truth *truth)
{
    measurement m[MOST_STEPS];
    int status = measure_steps(r, p, first, last, runs, truth, m);

    if (status == 0) {
        report_problem(p, r->M);
        if (r->from_files && p->Hk > p->each.Nk)
            prose("K has more heads than keys. If it is (B, N, H, d), its axes "
                  "1 and 2 are to be swapped, and those of Q and V: "
                  "np.ascontiguousarray(k.swapaxes(1, 2)).");
        puts("");
        if (r->chapter->tables)
            r->chapter->tables(m, last - first + 1);
        else
            report_steps(m, last - first + 1);
        if (truth)
            report_truth(truth);
        if (r->bare) {
            puts("");
            r->chapter->lesson(p, r->o[OPT_SRAM].size, m);
        }
    }
    return status;
}

static int show(const request *r)
{
    size_t first = 0, last = 0;
    attention_truth truth = {0};
    attention_arrays a;
    int status;

    if (r->bare && r->chapter->opening)
        r->chapter->opening();
    status = request_problem(r, r->random ? &r->sizes : NULL, &a);

    while (r->steps[last + 1])
        last++;
    if (r->o[OPT_STEP].given)
        first = last = r->o[OPT_STEP].choice;
    if (status == 0)
        status = truth_of(&a.problem, &truth);
    if (status == 0)
        status = print_tables(r, &a.problem, first, last, 3, &truth);
    if (status == 0) {
        puts("");
        next_step("%s", r->bare ? r->chapter->next : "./run --help");
    }
    truth_free(&truth);
    arrays_free(&a);
    return status;
}

/* One step over the problem, its outputs into files. They are what is asked
 * for: how far off they are would take float64 longer to say. */
static int convert(const request *r)
{
    const option *o = r->o;
    size_t step = r->step;
    attention_arrays a;
    int status = request_problem(r, r->random ? &r->sizes : NULL, &a);

    if (status == 0)
        status = print_tables(r, &a.problem, step, step, 1, NULL);
    if (status == 0) {
        puts("");
        status = outputs_write(o[OPT_OUT].file, &a.O,
                               o[OPT_LSE].given ? o[OPT_LSE].file : NULL, &a.L);
    }
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
        status = print_list(r.own_steps);
    else if (r.o[OPT_TRACE].given)
        status = chapter->trace();
    else if (r.o[OPT_CSV].given)
        status = print_csv(&r);
    else
        status = r.o[OPT_OUT].given ? convert(&r) : show(&r);
    return report_end(status);
}

/* --- The backward pass ------------------------------------------------------ */

bool asks_backward(int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--backward") == 0)
            return true;
    return false;
}

int become_backward(char **argv)
{
    char *self = realpath(argv[0], NULL); /* ./run is a link */
    char *slash = self ? strrchr(self, '/') : NULL;
    char program[4096];

    snprintf(program, sizeof program, "%.*s/backward/run",
             slash ? (int)(slash - self) : 1, slash ? self : ".");
    free(self);
    execv(program, argv);
    fprintf(stderr, "%s: cannot run: %s (make chapter-NN makes it)\n", program,
            strerror(errno));
    return 1;
}
