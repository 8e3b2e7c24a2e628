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

/* True if the step's query tiles have one query for any tile sizes. */
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

void print_chosen(const attention_step *step)
{
    printf("step: %s (--step NAME takes another; flash steps lists them)\n",
           step->name);
}
