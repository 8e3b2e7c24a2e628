/*
 * `./run --backward` (backward_program.h).
 */
#include "common/program/backward_program.h"

#include "common/print/outside.h"
#include "common/print/report.h"
#include "common/program/attention_report.h"
#include "common/program/backward_options.h"
#include "common/program/backward_report.h"
#include "common/program/backward_sweep.h"
#include "common/program/outputs.h"

#include <stdio.h>

/* The tables of one step (first = last) or of all. */
static int print_tables(const backward_request *r, const backward_layer *b,
                        size_t first, size_t last, size_t runs)
{
    backward_measurement m[MOST_BACKWARD_STEPS];
    const layer *l = &b->forward.problem;
    gradient_truth truth;
    int status = gradient_truth_of(b, &truth);

    for (size_t k = first; k <= last && status == 0; k++)
        status = measure_backward(b, r->steps[k], asked_M(r->o), runs, &truth,
                                  &m[k - first]);
    if (status == 0) {
        report_problem(l, asked_M(r->o));
        puts("");
        (r->chapter->tables ? r->chapter->tables
                            : backward_report)(m, last - first + 1);
        if (truth.heads == 0 && heads_of(l) > 0)
            puts("No error is known: float64 would take too long.");
        else if (truth.heads < heads_of(l))
            printf("The errors are of %zu of %zu heads.\n", truth.heads,
                   heads_of(l));
        if (asks_nothing(r->o)) {
            puts("");
            r->chapter->lesson(l, asked_M(r->o), m);
        }
    }
    gradient_truth_free(&truth);
    return status;
}

/* --- Files ---------------------------------------------------------------- */

static int write_gradients(const backward_request *r, const backward_layer *b)
{
    const npy_array *const all[] = {&b->dQ, &b->dK, &b->dV}, *arrays[3];
    const char *paths[3];
    size_t n = 0;

    for (int k = 0; k < 3; k++)
        if (r->o[OPT_GRAD_Q + k].given) {
            paths[n] = r->o[OPT_GRAD_Q + k].file;
            arrays[n++] = all[k];
        }
    if (npy_write_all(n, paths, arrays) != 0)
        return 1;
    for (size_t k = 0; k < n; k++)
        printf("wrote %s\n", shown(paths[k]).text);
    return 0;
}

/* --- The program ---------------------------------------------------------- */

static int print_list(const backward_chapter *c)
{
    for (const backward_step *s = c->own; s->name; s++)
        printf("%s\t%s\t%s\n", s->name, precision_name(FP32), s->idea);
    return 0;
}

/* All steps on the problem, or one; with files to write, one: the first of the
 * chapter's own that isn't asked otherwise. */
static int show(const backward_request *r)
{
    random_sizes sizes = asked_sizes(r->o);
    bool writes = backward_writes(r);
    size_t first = 0, last = 0;
    backward_layer b;
    int status = backward_problem(r, asks_random(r->o) ? &sizes : NULL, &b);

    while (r->steps[last + 1])
        last++;
    if (r->o[OPT_STEP].given)
        first = last = r->o[OPT_STEP].choice;
    else if (writes) {
        while (r->steps[first] != r->chapter->own)
            first++;
        last = first += r->chapter->reading;
    }
    if (status == 0)
        status = print_tables(r, &b, first, last, writes ? 1 : 3);
    if (status == 0) {
        puts("");
        if (writes)
            status = write_gradients(r, &b);
        else
            next_step("%s", asks_nothing(r->o) || r->chapter->tables
                                ? r->chapter->next
                                : "./run --backward --help");
    }
    backward_free(&b);
    return status;
}

int backward_program(const backward_chapter *chapter, int argc, char **argv)
{
    backward_request r;
    int status;

    if (!backward_read(&r, chapter, argc, argv, &status))
        return report_end(status);
    if (r.o[OPT_LIST].given)
        status = print_list(chapter);
    else if (r.o[OPT_TRACE].given)
        status = chapter->trace();
    else
        status = r.o[OPT_CSV].given ? backward_csv(&r) : show(&r);
    return report_end(status);
}
