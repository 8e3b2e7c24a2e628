/*
 * The program of chapters 04 to 07 (attention_program.h).
 */
#include "common/program/attention_program.h"

#include "common/program/attention_report.h"
#include "common/program/outputs.h"

#include <string.h>

static int print_list(const request *r)
{
    for (size_t k = r->own; k < r->n; k++) {
        const attention_step *s = r->steps[k];

        printf("%s\t%s\t%s\n", s->name, precision_name(s->type), s->idea);
    }
    return 0;
}

/* Of which rows, or heads, the error is, if not of all. */
static void print_known(const request *r, const layer *p,
                        const attention_truth *t)
{
    if (t->every > 1)
        printf("The error is of one row in %zu of %s.\n", t->every,
               count_text(t->rows).text);
    if (r->back && t->heads == 0 && heads_of(p) > 0)
        puts("No error is known: float64 would take too long.");
    else if (r->back && t->heads < heads_of(p))
        printf("The errors are of %zu of %zu heads.\n", t->heads, heads_of(p));
}

/* What n steps were measured to be. */
static void print_tables(const request *r, const layer *p,
                         const measurement m[], size_t n)
{
    report_problem(p, r->M);
    if (asks_files(r->o) && p->Hk > p->each.Nk)
        prose("K has more heads than keys. If it is (B, N, H, d), its axes 1 "
              "and 2 are to be swapped, and those of Q and V: "
              "np.ascontiguousarray(k.swapaxes(1, 2)).");
    puts("");
    if (r->way->tables)
        r->way->tables(m, n);
    else
        report_steps(m, n);
}

static int write(const request *r, const backward_layer *b)
{
    const npy_array *const arrays[] = {&b->forward.O, &b->forward.L, &b->dQ,
                                       &b->dK, &b->dV};

    return outputs_write(&r->o[OPT_OUT], arrays, OPT_GRAD_V - OPT_OUT + 1);
}

static void say_next(const request *r, bool lesson)
{
    if (lesson)
        next_step("%s", r->way->next);
    else
        next_step("%s%s --help", r->way->called ? r->way->called : "./run",
                  r->back ? " --backward" : "");
}

/*
 * All steps or --step's; where files are to be written, one step, once. How
 * far off O is would then take float64 longer to say.
 */
static int show(const request *r)
{
    bool writes = asks_outputs(r), judged = r->back || !writes;
    bool one = writes || r->o[OPT_STEP].given;
    bool bare = asks_nothing(r->o) && r->way->lesson;
    size_t first = one ? r->step : 0, n = one ? 1 : r->also;
    random_sizes sizes = asked_sizes(r->o);
    measurement m[MOST_STEPS];
    attention_truth truth = {0};
    backward_layer b;
    int status;

    if (bare && r->way->opening)
        r->way->opening();
    status = request_problem(r, asks_random(r->o) ? &sizes : NULL, &b);
    if (status == 0 && judged)
        status = request_truth(r, &b, &truth);
    for (size_t k = 0; k < n && status == 0; k++)
        status = request_measure(r, &b, first + k, r->M, writes ? 1 : 3,
                                 judged ? &truth : NULL, &m[k]);
    if (status == 0) {
        const layer *p = &b.forward.problem;

        print_tables(r, p, m, n);
        if (judged)
            print_known(r, p, &truth);
        puts("");
        if (bare) {
            status = r->way->lesson(p, r->M, m);
            puts("");
        }
        if (writes)
            status = write(r, &b);
        else
            say_next(r, bare);
    }
    truth_free(&truth);
    backward_free(&b);
    return status;
}

/* --- The program ----------------------------------------------------------- */

bool asks_backward(int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--backward") == 0)
            return true;
    return false;
}

int attention_program(const way *forward, const way *back, int argc,
                      char **argv)
{
    const way *asked = back && asks_backward(argc, argv) ? back : forward;
    request r;
    int status;

    if (request_read(&r, asked, argc, argv, &status))
        status = r.o[OPT_LIST].given    ? print_list(&r)
                 : r.o[OPT_TRACE].given ? asked->trace()
                 : r.o[OPT_CSV].given   ? print_csv(&r)
                                        : show(&r);
    return report_end(status);
}
