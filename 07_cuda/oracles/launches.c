/*
 * What a block of each rung asks for: threads, and dynamic shared memory, as
 * the emulator saw it launched. What it has besides, static shared memory and
 * registers, ptxas says (sass_check.sh).
 *
 * Lines: the rung's name (of the way back: a kernel's), D, threads, bytes;
 * another one, its name "NAME causal", where a causal limit makes it another.
 */
#include "common/print/report.h"

#include "07_cuda/backward/gradient_rung.h"
#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/steps.h"

/* One query, which sees one key. */
static float x[5][512], gradient[3][256], L[1];

static int print(const char *name, const char *how, int D)
{
    struct cuda_counts c = cuda_on_cpu_counts();

    printf("%s%s\t%d\t%zu\t%zu\n", name, how, D, (size_t)c.most_threads,
           (size_t)c.most_shared);
    return 0;
}

static int launch(const rung *r, int D, bool causal)
{
    size_t shared = (size_t)cuda_on_cpu_counts().most_shared;
    layer l = {.B = 1,
               .Hq = 1,
               .Hk = 1,
               .each = {.Nq = 1,
                        .Nk = 1 + causal,
                        .d = (size_t)D,
                        .dv = (size_t)D,
                        .scale = 1,
                        .rule.causal = causal}};
    memory mem;

    layer_give(&l, x[0], x[1], x[2], x[3], L);
    memory_init(&mem, 0);
    if (rung_layer(r, rung_type(r, BF16), &l, &mem)) {
        fprintf(stderr, "launches: %s: %s\n", r->name, mem.message);
        return 1;
    }
    return causal && cuda_on_cpu_counts().most_shared == shared
               ? 0
               : print(r->name, causal ? " causal" : "", D);
}

/* kernel: one of the rung's that has the products. */
static int launch_backward(const gradient_rung *r, const char *kernel)
{
    for (int D = r->narrowest; D <= r->widest; D *= 2) {
        gradient_problem p = {.forward = {.type = r->type,
                                          .Q = x[0],
                                          .K = x[1],
                                          .V = x[2],
                                          .O = x[3],
                                          .L = L,
                                          .heads = 1,
                                          .group = 1,
                                          .Nq = 1,
                                          .Nk = 1,
                                          .D = D,
                                          .scale = 1,
                                          .offset = 1},
                              .dO = x[4],
                              .dQ = gradient[0],
                              .dK = gradient[1],
                              .dV = gradient[2]};

        if (gradients_on_device(r->run, &p, NULL)) {
            fprintf(stderr, "launches: %s failed\n", kernel);
            return 1;
        }
        print(kernel, "", D);
    }
    return 0;
}

int main(void)
{
    const gradient_rung *b = backward_ladder;
    int failed = 0;

    for (const rung *r = ladder; r < ladder + RUNGS && !failed; r++)
        for (int k = 0; k < HEAD_SIZES && !failed; k++)
            if (r->Br[k] > 0)
                failed = launch(r, head_size[k], false) ||
                         launch(r, head_size[k], true);
    failed = failed || launch_backward(&b[BACKWARD_atomics], "atomics") ||
             launch_backward(&b[BACKWARD_two_kernels], "only_dQ") ||
             launch_backward(&b[BACKWARD_two_kernels], "dK_and_dV") ||
             launch_backward(&b[BACKWARD_tensor_cores], "tensor_cores") ||
             launch_backward(&b[BACKWARD_wgmma], "wgmma_dQ") ||
             launch_backward(&b[BACKWARD_wgmma], "wgmma_dKV") ||
             launch_backward(&b[BACKWARD_reduce], "reduce");
    return report_end(failed);
}
