#include "common/lesson/attention/heads.h"

#include "common/print/report.h"

int run_in_turn(const layer *l, const attention_step *step, memory *mem)
{
    memory largest;

    memory_init(&largest, mem->M);
    for (size_t nth = 0; nth < heads_of(l); nth++) {
        head one = head_at(l, nth);

        if (step_run(step, &one, mem))
            break;
        memory_raise(&largest, mem);
        memory_reset(mem);
    }
    memory_raise(mem, &largest);
    return mem->error;
}

int heads_run(const layer *l, const attention_step *step, memory *mem)
{
    if (heads_of(l) == 0)
        return 0;
    progress("%s", step->name);
    if (step->formula)
        progress_of(&mem->counts.read[ALGORITHM],
                    heads_formula(l, step, mem->M).read[ALGORITHM]);
    if (step->run_layer)
        step->run_layer(step, l, mem);
    else
        run_in_turn(l, step, mem);
    progress_done();
    return mem->error;
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
