/*
 * FlashAttention-2 on all cores: threads compute blocks of queries.
 *
 * Changed since flash2: threads share the outer loop. Each pair of a head and a
 * query block is an independent problem. A thread has its own on-chip memory
 * and its own counters, which are summed at the end. The operations of a row
 * and their order are those of flash2, so O and L have the same bits.
 *
 * Thus a single long sequence can use a whole GPU (FlashAttention-2, arXiv
 * 2307.08691, section 3.2). Threads cannot share the outer loop of flash1,
 * because all its iterations update the same rows of O.
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
/* Computes one query block of one head. mem belongs to the thread. */
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
