/*
 * FlashAttention-2 on all cores: blocks of queries are independent.
 *
 * Changed since flash2: threads share its outer loop. Each (head, query block)
 * pair is an independent problem, and each thread takes some pairs. A thread
 * has its own on-chip memory and counters; the counters are summed at the end.
 * The order of operations within a row is flash2's, so O has the same bits.
 *
 * FlashAttention-2, arXiv 2307.08691, section 3.2: with this, one long sequence
 * can use a whole GPU. flash1 cannot do it, because its threads would share O.
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
/* Computes one (head, query block) pair; mem belongs to the thread. */
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
