/*
 * What the programs of chapters 04 to 07 accept, and the problem that it leads
 * to (attention_program.h).
 */
#include "common/program/attention_program.h"

#include "common/program/outputs.h"

#include <stdio.h>
#include <string.h>

/* --- The steps ------------------------------------------------------------- */

static void add_step(request *r, const attention_step *s)
{
    if (r->n < MOST_STEPS) {
        r->steps[r->n] = s;
        r->names[r->n++] = s->name;
    }
}

static void add_steps(request *r, const attention_step *s)
{
    for (; s && s->name; s++)
        add_step(r, s);
}

static void list_steps(request *r)
{
    const way *w = r->way;
    const attention_step *const *before = w->before;

    r->type = r->o[OPT_DTYPE].choice ? FP16 : BF16;
    r->n = 0;
    for (; before && *before; before++)
        add_step(r, *before);
    r->own = r->n;
    add_steps(r, w->own_in ? w->own_in(r->type) : w->own);
    r->also = r->n;
    add_steps(r, w->also);
}

/* --- The options ----------------------------------------------------------- */

static void declare(request *r)
{
    static const char *const sweeps_back[] = {"n", "d", "sram", NULL};
    option *o = r->o;

    problem_options(o, r->names);
    if (r->back) {
        leave_out(o, OPT_OUT, OPT_LSE);
        o[OPT_SWEEP].choices = sweeps_back;
        o[OPT_SWEEP].help = "up to --n, --d or --sram; of:";
    } else {
        leave_out(o, OPT_BACKWARD, OPT_BACKWARD);
        leave_out(o, OPT_GRAD_OUT, OPT_GRAD_OUT);
        leave_out(o, OPT_GRAD_Q, OPT_GRAD_V);
    }
    if (!r->way->own_in)
        leave_out(o, OPT_DTYPE, OPT_DTYPE);
    if (r->way->options)
        r->way->options(o);
}

bool asks_outputs(const request *r)
{
    return options_given(r->o, OPT_OUT, OPT_GRAD_V) != NULL;
}

static int check_outputs(const option o[])
{
    for (int k = OPT_OUT; k <= OPT_GRAD_V; k++)
        if (options_exclude(o, OPT_CSV, k))
            return 2;
    if (o[OPT_LSE].given && !o[OPT_OUT].given)
        return option_refuse(&o[OPT_LSE], "only with --out");
    return options_exclude(o, OPT_SWEEP, OPT_GRAD_OUT);
}

/* Where the chapter's steps have a machine's memory, there is no M. */
static int check_memory(const request *r)
{
    const option *o = r->o, *s = &o[OPT_SWEEP];

    if (r->M > 0)
        return 0;
    if (o[OPT_SRAM].given)
        return option_refuse(&o[OPT_SRAM],
                             "the chip's memory is not to be chosen here");
    if (s->given && s->choice >= SWEEP_SRAM)
        return option_refuse(s, "no %s to choose here (n or d are allowed)",
                             s->choices[s->choice]);
    return 0;
}

/* What not every step has, --step's may lack; without --step each way back
 * takes what some of its steps take. */
static int check_tiles(const request *r)
{
    const attention_step *s = r->steps[r->step];
    const option *o = r->o;
    bool all = r->back && !r->o[OPT_STEP].given;
    bool tiled = all || s->tiles;
    bool counted = all || s->formula || s->back_formula;

    if (o[OPT_BR].given && r->way->one_query)
        return option_refuse(&o[OPT_BR], "one query at a time here (--bc "
                                         "alone is allowed)");
    for (int k = OPT_BR; k <= OPT_BC && !r->way->one_query; k++)
        if (o[k].given && !o[OPT_BR + OPT_BC - k].given)
            return option_refuse(&o[k], "only together with --%s",
                                 o[OPT_BR + OPT_BC - k].name);
    if (o[OPT_BC].given && !tiled)
        return option_refuse(&o[OPT_BC], "%s has no tiles to choose",
                             r->names[r->step]);
    if (o[OPT_SRAM].given && !tiled && !counted)
        return option_refuse(&o[OPT_SRAM], "%s counts no traffic",
                             r->names[r->step]);
    return options_exclude(o, OPT_BC, OPT_SRAM);
}

/* --dtype is for the steps that are not the same in both types. */
static int check_type(const request *r)
{
    const attention_step *step = r->steps[r->step];
    size_t nth = r->step - r->own;

    if (!r->o[OPT_DTYPE].given || !r->o[OPT_STEP].given ||
        r->way->own_in(BF16)[nth].type != r->way->own_in(FP16)[nth].type)
        return 0;
    return option_refuse(&r->o[OPT_DTYPE],
                         "%s computes in %s and has no choice", step->name,
                         precision_name(step->type));
}

static int check(const request *r)
{
    if (problem_check(r->o) || check_outputs(r->o) || check_memory(r) ||
        check_tiles(r) || check_type(r))
        return 2;
    return outputs_check(&r->o[OPT_Q], OPT_OUT - OPT_Q,
                         OPT_GRAD_V - OPT_OUT + 1);
}

bool request_read(request *r, const way *asked, int argc, char **argv,
                  int *status)
{
    option *o = r->o;

    *r = (request){.way = asked, .back = asked->own && is_backward(asked->own)};
    list_steps(r);
    declare(r);
    if (!options_parse(o, asked->about, asked->example, argc, argv, status))
        return false;
    list_steps(r); /* of the type asked for */
    r->step = o[OPT_STEP].given ? o[OPT_STEP].choice : r->own + asked->reading;
    r->M = asked->tables && !r->back ? 0 : asked_M(o);
    *status = check(r);
    return *status == 0;
}

/* --- The problem ----------------------------------------------------------- */

int request_problem(const request *r, const random_sizes *sizes,
                    backward_layer *b)
{
    int status;

    memset(b, 0, sizeof *b);
    status = problem_arrays(r->o, sizes, &b->forward);
    if (status == 0 && r->back)
        status = backward_arrays(b, r->o[OPT_GRAD_OUT].file);
    return status;
}

int request_truth(const request *r, const backward_layer *b, attention_truth *t)
{
    return r->back ? gradient_truth_of(b, t) : truth_of(&b->forward.problem, t);
}

int request_measure(const request *r, const backward_layer *b, size_t k,
                    size_t M, size_t runs, const attention_truth *t,
                    measurement *m)
{
    const layer *p = &b->forward.problem;

    return r->back ? measure_backward(b, r->steps[k], M, runs, t, m)
                   : measure_forward(p, r->steps[k], M, runs, t, m);
}
