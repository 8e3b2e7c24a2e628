/*
 * A layer's heads, one by one or all at once (heads.h).
 */
#include "common/problem/heads.h"

#include "common/print/report.h"

static int run_in_turn(const layer *l, const attention_step *step, memory *mem)
{
    size_t on_chip = 0, scratch = 0, extra = 0;
    double start = stopwatch();

    for (size_t nth = 0; nth < heads_of(l); nth++) {
        head one = head_at(l, nth);

        if (stopwatch() - start > 1)
            progress("%s: head %zu of %zu", step->name, nth + 1, heads_of(l));
        if (step->run(&one, mem))
            break;
        on_chip = max_size(on_chip, mem->on_chip);
        scratch = max_size(scratch, mem->scratch);
        extra = max_size(extra, mem->extra);
        memory_reset(mem);
    }
    progress_done();
    if (mem->error)
        return mem->error;
    mem->on_chip = on_chip;
    mem->scratch = scratch;
    mem->extra = extra;
    return 0;
}

int heads_run(const layer *l, const attention_step *step, memory *mem)
{
    if (heads_of(l) == 0)
        return 0;
    return step->run_layer ? step->run_layer(step, l, mem)
                           : run_in_turn(l, step, mem);
}

bool is_counted(const attention_step *step)
{
    return step->formula || step->layer_formula;
}

counts heads_formula(const layer *l, const attention_step *step, size_t M)
{
    counts sum = {.exps = 0};

    if (step->layer_formula && heads_of(l)) {
        tile_sizes t = step_tiles(step, &l->each, M);
        layer tiled = *l;

        tiled.each.Br = t.Br;
        tiled.each.Bc = t.Bc;
        return step->layer_formula(step, &tiled);
    }
    if (step->layer_formula)
        return sum;
    for (size_t nth = 0; nth < heads_of(l); nth++) {
        head one = head_at(l, nth);
        counts c = step->formula(&one, step_tiles(step, &one, M));

        counts_add(&sum, &c);
    }
    return sum;
}
