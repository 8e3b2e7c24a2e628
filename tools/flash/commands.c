#include "tools/flash/commands.h"

#include <string.h>

#include "common/print/outside.h"
#include "common/print/report.h"

void names_of(const char *names[MOST_LISTED + 1], const listed_step list[],
              size_t n)
{
    for (size_t k = 0; k < n; k++)
        names[k] = list[k].name;
    names[n] = NULL;
}

size_t step_at(const listed_step list[], size_t n, const char *name)
{
    size_t k = 0;

    while (k + 1 < n && strcmp(list[k].name, name) != 0)
        k++;
    return k;
}

/* True if the step's query tiles always have one query. */
static bool has_one_query(tiles_rule *sizes)
{
    head h = {.Nq = 4, .Nk = 4, .d = 1, .dv = 1, .tile = {2, 4}};

    return sizes && sizes(&h, MEMORY_UNBOUNDED).Br == 1;
}

int check_tiles(const option o[], const char *name, tiles_rule *sizes,
                bool counted)
{
    const option *br = &o[OPT_BR], *bc = &o[OPT_BC], *sram = &o[OPT_SRAM];

    if ((br->given || bc->given) && !sizes)
        return refused(2, br->given ? br->name : bc->name,
                       "%s has no tiles to choose", name);
    if (br->given && has_one_query(sizes))
        return refused(2, br->name,
                       "%s takes one query at a time (--bc alone is allowed)",
                       name);
    if (br->given != bc->given && sizes && !has_one_query(sizes))
        return refused(2, br->given ? br->name : bc->name,
                       "only together with %s",
                       br->given ? bc->name : br->name);
    if (sram->given && !sizes && !counted)
        return refused(2, sram->name, "%s counts no traffic", name);
    return 0;
}

/* True, after one line on stderr, if the step cannot use u's block mask. */
static bool refuses_blocks(user_problem *u, const char *name)
{
    if (!u->blocks.data || strcmp(name, "flash2_block_mask") == 0)
        return false;
    u->b.forward.status = refused(2, "--block-mask",
                                  "%s does not support it (flash attention "
                                  "--step flash2_block_mask does)",
                                  name);
    return true;
}

const attention_step *fit_forward(fitted_step *with, user_problem *u,
                                  const attention_step *step)
{
    problem *p = &u->b.forward;

    if (refuses_blocks(u, step->name))
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

const backward_step *fit_backward(fitted_step *with, user_problem *u,
                                  const backward_step *step)
{
    if (refuses_blocks(u, step->name))
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

void print_chosen(const char *name)
{
    printf("step: %s (--step NAME chooses another; flash steps lists them)\n",
           name);
}
