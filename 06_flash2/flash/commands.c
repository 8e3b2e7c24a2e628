/*
 * What the commands of `flash` share (commands.h).
 */
#include "06_flash2/flash/commands.h"

#include <string.h>

#include "common/print/outside.h"
#include "common/print/report.h"

void names_of(const char *names[MOST_LISTED + 1], const listed_step list[],
              size_t n)
{
    for (size_t k = 0; k < n; k++)
        names[k] = list[k].step->name;
    names[n] = NULL;
}

size_t step_at(const listed_step list[], size_t n, const char *name)
{
    size_t k = 0;

    while (k + 1 < n && strcmp(list[k].step->name, name) != 0)
        k++;
    return k;
}

/* True if the step's query tiles have one query, whatever is asked for. */
static bool has_one_query(const attention_step *step)
{
    head h = {.Nq = 4, .Nk = 4, .d = 1, .dv = 1, .tile = {2, 2}};

    return step_tiles(step, &h, MEMORY_UNBOUNDED).Br == 1;
}

int check_tiles(const option o[], const attention_step *step)
{
    const option *br = &o[OPT_BR], *bc = &o[OPT_BC], *sram = &o[OPT_SRAM];
    bool counted = is_counted(step);

    if ((br->given || bc->given) && !step->tiles)
        return refused(2, br->given ? br->name : bc->name,
                       "%s has no tiles to choose", step->name);
    if (br->given && has_one_query(step))
        return refused(2, br->name,
                       "%s takes one query at a time (--bc alone is allowed)",
                       step->name);
    if (br->given != bc->given && step->tiles && !has_one_query(step))
        return refused(2, br->given ? br->name : bc->name,
                       "only together with %s",
                       br->given ? bc->name : br->name);
    if (sram->given && !step->tiles && !counted)
        return refused(2, sram->name, "%s counts no traffic", step->name);
    return 0;
}

/* True, after one line on stderr, if the step does not take the block mask. */
static bool refuses_blocks(user_problem *u, const attention_step *step)
{
    if (!u->blocks.data || strcmp(step->name, "flash2_block_mask") == 0)
        return false;
    u->b.forward.status = refused(2, "--block-mask",
                                  "%s does not take it (flash attention --step "
                                  "flash2_block_mask does)",
                                  step->name);
    return true;
}

const attention_step *fit_forward(fitted_step *with, user_problem *u,
                                  const attention_step *step)
{
    problem *p = &u->b.forward;

    if (refuses_blocks(u, step))
        return NULL;
    if (u->blocks.data) {
        matrix of =
            matrix_of(u->blocks.data, u->blocks.shape[0], u->blocks.shape[1]);

        add_blocks(&with->blocks, step, (block_mask){of, u->block_size});
        step = &with->blocks.step;
    }
    if (!p->sinks)
        return step;
    add_sinks(&with->sinks, step, &p->layer, p->sinks);
    return &with->sinks.step;
}

const attention_step *fit_backward(fitted_step *with, user_problem *u,
                                   const attention_step *step)
{
    if (refuses_blocks(u, step))
        return NULL;
    if (!u->b.forward.sinks)
        return step;
    with->back = *step;
    with->back.forward = fit_forward(with, u, step->forward);
    return &with->back;
}

void print_user_problem(const user_problem *u)
{
    const problem *p = &u->b.forward;

    print_problem(&p->layer, steps_have_M ? p->M : 0);
    if (p->sinks)
        puts("With a sink for each query head.\n");
    if (u->blocks.data)
        puts("With a block mask.\n");
}

void print_chosen(const attention_step *step)
{
    printf("step: %s (--step NAME takes another; flash steps lists them)\n",
           step->name);
}
