#include "06_flash2/fast/query_blocks.h"

#include "06_flash2/steps.h"
#include "common/threads.h"

/* Returns a itself, or if it is not in fp32 or must be rounded, a copy. */
static array in_floats(memory *mem, array a, precision type)
{
    array copy;

    if (a.hbm.data && type == FP32)
        return a;
    copy = hbm_scratch(mem, a.hbm.rows, a.hbm.cols, FP32);
    for (size_t i = 0; i < a.hbm.rows && !mem->error; i++)
        for (size_t c = 0; c < a.hbm.cols; c++)
            row(copy.hbm, i)[c] =
                a.narrow ? from_narrow(a.type, a.narrow[i * a.hbm.cols + c])
                         : round_to(type, row(a.hbm, i)[c]);
    return copy;
}

void by_flash2(const head *h, precision type, memory *mem)
{
    head wide = *h;
    memory own;

    mem->counts.fallbacks++;
    memory_init(&own, MEMORY_UNBOUNDED);
    wide.Q = in_floats(&own, h->Q, type);
    wide.K = in_floats(&own, h->K, type);
    wide.V = in_floats(&own, h->V, type);
    if (only_narrow(&h->O))
        wide.O = hbm_scratch(&own, h->Nq, h->dv, FP32);
    if (!own.error)
        flash2(&wide, &own);
    for (size_t k = 0; only_narrow(&h->O) && !own.error && k < h->Nq * h->dv;
         k++)
        h->O.narrow[k] = to_bf16(wide.O.hbm.data[k]);
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
                by_flash2(&block, FP32, &own);
        }
        threads_lock();
        counts_add(&mem->counts, &own.counts);
        memory_return(mem, &own);
        threads_unlock();
    }
    return mem->error;
}
