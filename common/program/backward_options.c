/*
 * What `./run --backward` accepts, and what does not go together
 * (backward_options.h).
 */
#include "common/program/backward_options.h"

#include "common/program/outputs.h"

#include <stdio.h>
#include <string.h>

static const char *const sweeps[] = {"n", "d", "sram", NULL};

/* Returns 0, or 1 after one line on stderr if there is no room for them. */
static int list_steps(backward_request *r)
{
    const backward_step *const lists[] = {r->chapter->before, r->chapter->own};
    size_t n = 0;

    for (size_t k = 0; k < 2; k++)
        for (const backward_step *s = lists[k]; s && s->name; s++) {
            if (n == MOST_BACKWARD_STEPS) {
                fprintf(stderr, "backward_read: more than %d steps\n",
                        MOST_BACKWARD_STEPS);
                return 1;
            }
            r->names[n] = s->name;
            r->steps[n++] = s;
        }
    return 0;
}

static void declare(backward_request *r)
{
    problem_options(r->o, r->names);
    leave_out(r->o, OPT_OUT, OPT_LSE);
    leave_out(r->o, OPT_DTYPE, OPT_DTYPE);
    r->o[OPT_SWEEP].choices = sweeps;
    r->o[OPT_SWEEP].help = "up to --n, --d or --sram; of:";
    if (r->chapter->options)
        r->chapter->options(r->o);
}

bool backward_writes(const backward_request *r)
{
    return options_given(r->o, OPT_GRAD_Q, OPT_GRAD_V) != NULL;
}

/* What the gradients alone ask. */
static int check_gradients(const backward_request *r)
{
    const option *o = r->o;

    for (int k = OPT_GRAD_Q; k <= OPT_GRAD_V; k++)
        if (options_exclude(o, OPT_CSV, k))
            return 2;
    if (asks_files(o) && !backward_writes(r) && !o[OPT_CSV].given)
        return option_refuse(&o[OPT_GRAD_Q],
                             "is missing: where are the gradients to go? "
                             "(--grad-q, --grad-k, --grad-v, or --csv)");
    return options_exclude(o, OPT_SWEEP, OPT_GRAD_OUT);
}

static int check(const backward_request *r)
{
    size_t nth = r->o[OPT_STEP].choice;
    const backward_step *step = r->steps[nth];
    bool one = r->o[OPT_STEP].given; /* what not every step has, one may lack */

    if (problem_check(r->o) || files_check(r->o) || check_gradients(r) ||
        tiles_check(r->o, step->name, !one || step->tiles,
                    !one || step->formula, false))
        return 2;
    return outputs_check(&r->o[OPT_Q], OPT_GRAD_Q - OPT_Q, 3);
}

bool backward_read(backward_request *r, const backward_chapter *chapter,
                   int argc, char **argv, int *status)
{
    *r = (backward_request){.chapter = chapter};
    *status = list_steps(r);
    if (*status)
        return false;
    declare(r);
    if (!options_parse(r->o, chapter->about,
                       chapter->example
                           ? chapter->example
                           : "./run --backward --q common/data/q.npy \\\n"
                             "        --k common/data/k.npy --v "
                             "common/data/v.npy --grad-q build/dQ.npy",
                       argc, argv, status))
        return false;
    *status = check(r);
    return *status == 0;
}

int backward_problem(const backward_request *r, const random_sizes *sizes,
                     backward_layer *b)
{
    const option *dO = &r->o[OPT_GRAD_OUT];
    int status;

    memset(b, 0, sizeof *b);
    status = problem_arrays(r->o, sizes, &b->forward);
    return status ? status : backward_arrays(b, dO->file);
}
