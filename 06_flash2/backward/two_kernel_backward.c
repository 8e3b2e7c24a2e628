/* Runs backward_dq, then backward_dkv, for one head on one core.
 * docs/backward.md */
#include "06_flash2/backward/steps.h"

typedef int kernel_with_D(const gradients *g, array D, memory *mem);

static void run_alone(kernel_with_D *kernel, const gradients *g, array D,
                      memory *mem)
{
    memory own;

    if (mem->error)
        return;
    memory_init(&own, mem->M);
    own.watch = mem->watch;
    own.watcher = mem->watcher;
    kernel(g, D, &own);
    memory_raise(mem, &own);
    counts_add(&mem->counts, &own.counts);
    memory_return(mem, &own);
}

int two_kernel_backward(const gradients *g, memory *mem)
{
    array D = hbm_scratch(mem, g->h.Nq, 1, FP32);

    run_alone(backward_dq, g, D, mem);
    run_alone(backward_dkv, g, D, mem);
    return mem->error;
}
