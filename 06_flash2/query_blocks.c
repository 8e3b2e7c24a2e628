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

void by_flash2(const head *h, memory *mem)
{
    memory own;

    memory_init(&own, MEMORY_UNBOUNDED);
    if (flash2(h, &own) != MEMORY_OK && !mem->error) {
        mem->error = own.error;
        memcpy(mem->message, own.message, sizeof mem->message);
    }
    memory_reset(&own);
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

            if (!own.error && !(in_fp32(&block) &&
                                kernel->attend(&block, aligned(tile.data))))
                by_flash2(&block, &own);
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
