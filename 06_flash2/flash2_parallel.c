/*
 * FlashAttention-2 on all cores: blocks of queries are independent.
 *
 * Changed since flash2: its outer loop is cut up. Every (head, query block)
 * pair is a small problem of its own, and threads take the pairs. Each thread
 * has its own on-chip memory and its own counters, summed at the end: the
 * same work in the same order within a row, so O is bit for bit flash2's.
 *
 * FlashAttention-2, arXiv 2307.08691, section 3.2: this is what makes one long
 * sequence fill a GPU. flash1 cannot do it: its threads would share O.
 * docs/06_flash2.md
 */
#include "06_flash2/steps.h"

#include "common/layer.h"
#include "common/threads.h"

typedef struct {
    const layer *l;
    size_t blocks, Br; /* query blocks per head, queries per block */
} pairs;

/* ANCHOR: kernel */
/* One (head, query block) pair, by the thread that owns mem. */
static int attend_pair(const void *job, size_t pair, memory *mem)
{
    const pairs *p = job;
    head h = head_at(p->l, pair / p->blocks);
    size_t i0 = pair % p->blocks * p->Br;
    span block = span_of(i0, min_size(p->Br, h.Nq - i0));
    head part = head_of_queries(&h, block);

    return flash2(&part, mem);
}

int flash2_parallel(const attention_step *step, const layer *l, memory *mem)
{
    size_t Br = flash2_tiles(&l->each, mem->M).Br;
    pairs job = {l, tiles(l->each.Nq, Br), Br};

    (void)step;
    return run_on_threads(attend_pair, &job, heads_of(l) * job.blocks, mem);
}
/* ANCHOR_END: kernel */
