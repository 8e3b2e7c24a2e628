#include "common/lesson/attention/heads.h"

#include "common/print/report.h"

int run_in_turn(const layer *l, const attention_step *step, memory *mem)
{
    double start = stopwatch();
    memory largest;

    memory_init(&largest, mem->M);
    for (size_t nth = 0; nth < heads_of(l); nth++) {
        head one = head_at(l, nth);

        if (stopwatch() - start > 1)
            progress("%s: head %zu of %zu", step->name, nth + 1, heads_of(l));
        if (step_run(step, &one, mem))
            break;
        memory_raise(&largest, mem);
        memory_reset(mem);
    }
    progress_done();
    memory_raise(mem, &largest);
    return mem->error;
}

int heads_run(const layer *l, const attention_step *step, memory *mem)
{
    if (heads_of(l) == 0)
        return 0;
    return step->run_layer ? step->run_layer(step, l, mem)
                           : run_in_turn(l, step, mem);
}

counts heads_formula(const layer *l, const attention_step *step, size_t M)
{
    counts sum = {.exps = 0};
    layer tiled = *l;

    if (heads_of(l) == 0)
        return sum;
    tiled.each.tile = step_tiles(step, &l->each, M);
    if (step->layer_formula)
        return step->layer_formula(step, &tiled);
    for (size_t nth = 0; nth < heads_of(l); nth++) {
        head one = head_at(l, nth);
        counts c = step->formula(&one, step_tiles(step, &one, M));

        counts_add(&sum, &c);
    }
    return sum;
}
