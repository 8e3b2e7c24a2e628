/* The step that runs flash2_block_mask, and its traffic. */
#include "06_flash2/variants/block_mask.h"

#include "06_flash2/variants/steps.h"
#include "common/lesson/attention/heads.h"
#include "common/traffic.h"

counts block_mask_traffic(const block_mask *b, const head *h, tile_sizes t)
{
    counts sum = flash2_traffic(h, t);
    bool masked = h->rule.mask.hbm.data != NULL;

    for (tile_pair p = {0}; next_pair(h, t, QUERIES_OUTSIDE, &p);)
        if (blocks_are_empty(b, p.i, p.j)) {
            sum.read[ALGORITHM] -= p.j.n * (h->d + h->dv);
            sum.read[MASK] -= masked ? p.i.n * p.j.n : 0;
        }
    return sum;
}

static int run_with_blocks(const attention_step *step, const layer *l,
                           memory *mem)
{
    const step_with_blocks *s = (const step_with_blocks *)step;
    head h;

    if (heads_of(l) > 1)
        return run_in_turn(l, step, mem);
    h = head_at(l, 0);
    return flash2_block_mask(&s->blocks, &h, mem);
}

/* The tile sizes are those of l->each. */
static counts traffic_with_blocks(const attention_step *step, const layer *l)
{
    const step_with_blocks *s = (const step_with_blocks *)step;
    counts sum = {.exps = 0};

    for (size_t nth = 0; nth < heads_of(l); nth++) {
        head h = head_at(l, nth);
        counts c = block_mask_traffic(&s->blocks, &h, h.tile);

        counts_add(&sum, &c);
    }
    return sum;
}

void add_blocks(step_with_blocks *s, const attention_step *plain,
                block_mask blocks)
{
    *s = (step_with_blocks){*plain, blocks};
    s->step.run = NULL;
    s->step.run_layer = run_with_blocks;
    s->step.layer_formula = traffic_with_blocks;
}
