#include "06_flash2/fast/query_blocks.h"

#include "06_flash2/steps.h"
#include "common/threads.h"

void by_flash2(const head *h, memory *mem)
{
    memory own;

    mem->counts.fallbacks++;
    memory_init(&own, MEMORY_UNBOUNDED);
    flash2(h, &own);
    memory_return(mem, &own);
}

typedef struct {
    const layer *l;
    size_t queries; /* queries per block */
    size_t blocks;  /* blocks per head */
    size_t total;   /* blocks of all heads */
} block_list;

/* Returns block k; if k is too large, a head without queries. The blocks of a
 * head are in reverse order. With a causal limit the last block sees the most
 * keys, so the longest work comes first. */
static head block_at(const block_list *all, size_t k)
{
    size_t i0;
    head h;

    if (k >= all->total)
        return (head){0};
    h = head_at(all->l, k / all->blocks);
    i0 = (all->blocks - 1 - k % all->blocks) * all->queries;
    return head_of_queries(&h, span_of(i0, min_size(all->queries, h.Nq - i0)));
}

int attend_blocks(const block_kernel *kernel, const layer *l, memory *mem)
{
    block_list all = {.l = l, .queries = kernel->queries};
    size_t rows = kernel->keys + l->each.d + l->each.dv;

    all.blocks = tiles(l->each.Nq, all.queries);
    all.total = heads_of(l) * all.blocks;
#ifdef _OPENMP
#pragma omp parallel num_threads((int)threads_for(all.total))
#endif
    {
        memory own;
        matrix tile;

        memory_init(&own, MEMORY_UNBOUNDED);
        tile = scratch(&own, rows + tiles(ALIGNMENT, all.queries), all.queries);
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
        for (size_t k = 0; k < all.total; k++) {
            head block = block_at(&all, k);
            head next = block_at(&all, k + thread_count());

            if (!own.error &&
                !(in_fp32(&block) &&
                  kernel->attend(&block, &next, aligned(tile.data))))
                by_flash2(&block, &own);
        }
        threads_lock();
        counts_add(&mem->counts, &own.counts);
        memory_return(mem, &own);
        threads_unlock();
    }
    return mem->error;
}
