/*
 * What the programs of chapters 04 to 06 accept (attention_program.h).
 */
#include "common/program/attention_program.h"

#include <stdio.h>

static size_t steps_in(const attention_step *s)
{
    size_t n = 0;

    while (s && s[n].name)
        n++;
    return n;
}

/* Returns 0, or 1 after one line on stderr if there is no room for them. */
static int list_steps(request *r)
{
    const attention_chapter *c = r->chapter;
    size_t n;

    r->type = r->o[OPT_DTYPE].choice ? FP16 : BF16;
    r->own_steps = c->own_in ? c->own_in(r->type) : c->own;
    for (r->own = 0; c->before[r->own];)
        r->own++;
    r->also = r->own + steps_in(r->own_steps);
    n = r->also + steps_in(c->also);
    if (n > MOST_STEPS) {
        fprintf(stderr, "request_read: %zu steps, and room for %d\n", n,
                MOST_STEPS);
        return 1;
    }
    for (size_t k = 0; k < n; k++) {
        r->steps[k] = k < r->own    ? c->before[k]
                      : k < r->also ? &r->own_steps[k - r->own]
                                    : &c->also[k - r->also];
        r->names[k] = r->steps[k]->name;
    }
    return 0;
}

/* Where the chapter's steps have a machine's memory, there is no M. */
static int check_memory(const request *r)
{
    const option *o = r->o, *s = &o[OPT_SWEEP];

    if (o[OPT_SRAM].given)
        return option_refuse(&o[OPT_SRAM],
                             "the chip's memory is not to be chosen here");
    if (s->given && s->choice >= SWEEP_SRAM)
        return option_refuse(s, "no %s to choose here (n or d are allowed)",
                             s->choices[s->choice]);
    return 0;
}

/* --dtype is for the steps that are not the same in both types. */
static int check_type(const request *r)
{
    const attention_step *step = r->steps[r->step];
    size_t nth = r->step - r->own;

    if (!r->o[OPT_DTYPE].given || !r->o[OPT_STEP].given ||
        r->chapter->own_in(BF16)[nth].type !=
            r->chapter->own_in(FP16)[nth].type)
        return 0;
    return option_refuse(&r->o[OPT_DTYPE],
                         "%s computes in %s and has no choice", step->name,
                         precision_name(step->type));
}

static int check(const request *r)
{
    const attention_step *step = r->steps[r->step];

    return problem_check(r->o) || (r->chapter->tables && check_memory(r)) ||
                   tiles_check(r->o, step->name, step->tiles, step->formula,
                               r->chapter->one_query) ||
                   check_type(r)
               ? 2
               : 0;
}

bool request_read(request *r, const attention_chapter *chapter, int argc,
                  char **argv, int *status)
{
    option *o = r->o;

    *r = (request){.chapter = chapter};
    *status = list_steps(r);
    if (*status)
        return false;
    problem_options(o, r->names);
    leave_out(o, OPT_BACKWARD, OPT_BACKWARD);
    leave_out(o, OPT_GRAD_OUT, OPT_GRAD_V);
    if (!chapter->own_in)
        leave_out(o, OPT_DTYPE, OPT_DTYPE);
    if (chapter->options)
        chapter->options(o);
    if (!options_parse(o, chapter->about, chapter->example, argc, argv, status))
        return false;
    list_steps(r); /* of the type asked for */
    r->step =
        o[OPT_STEP].given ? o[OPT_STEP].choice : r->own + chapter->reading;
    r->M = chapter->tables ? 0 : asked_M(o);
    *status = check(r);
    return *status == 0;
}
