#include "common/step.h"

/* Returns the given array, or a new one. Counts it as extra memory. */
static array extra(memory *mem, array given, size_t rows, size_t cols)
{
    if (!given.hbm.data)
        return hbm_scratch(mem, rows, cols, given.type);
    mem->extra += rows * cols;
    return given;
}

head with_outputs(const attention_step *step, const head *h, memory *mem)
{
    head whole = *h;

    if (step->leaves == LEAVES_P)
        whole.P = extra(mem, h->P, h->Nq, h->Nk);
    if (step->leaves == LEAVES_M_L) {
        whole.m = extra(mem, h->m, h->Nq, 1);
        whole.l = extra(mem, h->l, h->Nq, 1);
    }
    return whole;
}

int step_run(const attention_step *step, const head *h, memory *mem)
{
    head whole;

    if (!step->run) {
        layer alone = layer_of(h);

        return step->run_layer(step, &alone, mem);
    }
    whole = with_outputs(step, h, mem);
    return step->run(&whole, mem);
}

tile_sizes step_tiles(const attention_step *step, const head *h, size_t M)
{
    return step->tiles ? step->tiles(h, M) : (tile_sizes){0, 0};
}
