/*
 * Blocks of queries on all cores (query_blocks.h).
 */
#include "06_flash2/query_blocks.h"

#include <stdint.h>
#include <string.h>

#include "06_flash2/steps.h"

#define ALIGNMENT 64 /* bytes: a cache line, and the widest vector */

static float *aligned(float *p)
{
    return p + (-(uintptr_t)p % ALIGNMENT) / sizeof *p;
}

/* The fast steps know fp32 alone; flash2 rounds to what it is told. */
static bool in_fp32(const head *h)
{
    return h->P == FP32 && h->O.type == FP32 && h->L.type == FP32;
}

/* One block, with the tiles that own holds; an error is left in own. */
static void attend_one(const block_kernel *kernel, const head *block,
                       float *tile, memory *own)
{
    memory scalar;

    if (in_fp32(block) && kernel->attend(block, aligned(tile)))
        return;
    memory_init(&scalar, MEMORY_UNBOUNDED);
    if (flash2(block, &scalar) != MEMORY_OK) {
        own->error = scalar.error;
        memcpy(own->message, scalar.message, sizeof own->message);
    }
    memory_reset(&scalar);
}

int attend_blocks(const block_kernel *kernel, const head heads[], size_t n,
                  memory *mem)
{
    size_t queries = kernel->queries, rows = kernel->keys;
    size_t blocks = n ? tiles(heads->Nq, queries) : 0;

    if (n > 0)
        rows += heads->d + heads->dv;
#ifdef _OPENMP
#pragma omp parallel if (n * blocks > 1)
#endif
    {
        memory own;
        matrix tile;

        memory_init(&own, MEMORY_UNBOUNDED);
        /* A row or two more than is needed, to align it. */
        tile = scratch(&own, rows + tiles(ALIGNMENT, queries), queries);
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
        for (size_t k = 0; k < n * blocks; k++) {
            /* The last first: if causal they have the most keys, and the
             * shortest are left to fill the gaps at the end. */
            size_t i0 = (blocks - 1 - k % blocks) * queries;
            const head *h = &heads[k / blocks];
            head block = head_of_queries(h, i0, min_size(queries, h->Nq - i0));

            if (!own.error)
                attend_one(kernel, &block, tile.data, &own);
        }
#ifdef _OPENMP
#pragma omp critical
#endif
        if (own.error && !mem->error) {
            mem->error = own.error;
            memcpy(mem->message, own.message, sizeof mem->message);
        }
        memory_reset(&own);
    }
    return mem->error;
}
