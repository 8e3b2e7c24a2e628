/*
 * backward_simd: runs groups of heads on all cores.
 *
 * The heads of a group share K and V, so one thread computes them in order.
 * flash2_backward computes heads with other rules than a causal limit, with
 * narrow types, or with gradients that are not finite. docs/backward.md
 */
#include "06_flash2/backward/fast_backward.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/fast/query_blocks.h"
#include "common/threads.h"

#define X(target) &backward_simd_##target,
static const fast_backward *const kernels[] = {TARGETS};
#undef X

enum { FLOATS = ALIGNMENT / sizeof(float) };

typedef struct {
    const gradients *heads;
    size_t n;
    const fast_backward *kernel;
} head_list;

static bool is_plain(const gradients *g)
{
    const head *h = &g->h;

    return !bends_scores(&h->rule) && h->P_type == FP32 && g->dS == FP32 &&
           g->dQ.type == FP32 && g->dK.type == FP32 && g->dV.type == FP32;
}

static void run_head(const gradients *g, const fast_backward *kernel,
                     memory *mem)
{
    bool done = false;
    memory own;

    memory_init(&own, MEMORY_UNBOUNDED);
    if (is_plain(g)) {
        float *all = scratch_unset(&own, kernel->floats(&g->h) + FLOATS);

        if (!own.error)
            done = kernel->run(g, aligned(all));
    }
    if (!done && !own.error) {
        flash2_backward(g, &own);
        mem->counts.fallbacks++; /* nothing else is counted */
    }
    memory_return(mem, &own);
}

/* A group is a head without `add` and the following heads with `add`. */
static int run_group(const void *job, size_t k, memory *mem)
{
    const head_list *all = job;
    size_t first = 0;

    for (size_t n = 0, groups = 0; n < all->n; n++)
        if (n == 0 || !all->heads[n].add) {
            if (groups++ > k)
                break;
            first = n;
        }
    do
        run_head(&all->heads[first++], all->kernel, mem);
    while (!mem->error && first < all->n && all->heads[first].add);
    return mem->error;
}

int backward_simd(const backward_step *step, const gradients heads[], size_t n,
                  memory *mem)
{
    size_t t = choose_target(mem->message), groups = 0;
    head_list all = {heads, n, NULL};

    (void)step;
    if (t == target_count())
        return mem->error = MEMORY_REFUSED;
    all.kernel = kernels[t];
    for (size_t k = 0; k < n; k++)
        groups += k == 0 || !heads[k].add;
    return run_on_threads(run_group, &all, groups, mem);
}
