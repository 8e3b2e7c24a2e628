/*
 * Elements moved, counted (elements.h).
 */
#include "docs/lab/elements.h"

#include <stdio.h>

#include "common/print/report.h"

size_t elements_moved(const layer *p, const attention_step *step, size_t M)
{
    memory mem;
    size_t elements;

    progress("%s: N %zu, d %zu", step->name, p->each.Nq, p->each.d);
    memory_init(&mem, M);
    if (heads_run(p, step, &mem))
        fprintf(stderr, "lab: %s: %s\n", step->name, mem.message);
    elements = mem.error ? 0 : counts_moved(mem.counts);
    memory_reset(&mem);
    return elements;
}
