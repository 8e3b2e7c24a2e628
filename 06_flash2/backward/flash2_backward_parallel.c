/*
 * backward_dq and backward_dkv on all cores, by blocks of queries and of keys.
 *
 * Changed since backward_dq and backward_dkv: threads share the outer loops. No
 * two threads add to the same number, so the gradients have the same bits as on
 * one core. docs/backward.md
 */
#include "06_flash2/backward/steps.h"

#include "common/threads.h"

typedef struct {
    const gradients *g;
    array D;
    size_t rows; /* per block */
} blocks;

/* ANCHOR: kernel */
static int dq_of_block(const void *job, size_t b, memory *mem)
{
    const blocks *of = job;
    size_t i0 = b * of->rows;
    span i = span_of(i0, min_size(of->rows, of->g->h.Nq - i0));
    gradients part = gradients_of_queries(of->g, i);

    return backward_dq(&part, rows_of(of->D, i), mem);
}

static int dkv_of_block(const void *job, size_t b, memory *mem)
{
    const blocks *of = job;
    size_t j0 = b * of->rows;
    span j = span_of(j0, min_size(of->rows, of->g->h.Nk - j0));
    gradients part = gradients_of_keys(of->g, j);

    return backward_dkv(&part, of->D, mem);
}

int flash2_backward_parallel(const gradients *g, memory *mem)
{
    const head *h = &g->h;
    size_t Br = dq_tiles(h, mem->M).Br, Bc = two_kernel_tiles(h, mem->M).Bc;
    array D = hbm_scratch(mem, h->Nq, 1, FP32);
    blocks queries = {g, D, Br}, keys = {g, D, Bc};

    if (mem->error)
        return mem->error;
    if (run_on_threads(dq_of_block, &queries, tiles(h->Nq, Br), mem))
        return mem->error;
    return run_on_threads(dkv_of_block, &keys, tiles(h->Nk, Bc), mem);
}
/* ANCHOR_END: kernel */
