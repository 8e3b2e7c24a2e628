/*
 * What a block of each rung asks for: threads, and dynamic shared memory, as
 * the emulator saw it launched. What it has besides, static shared memory and
 * registers, ptxas says (sass_check.sh).
 *
 * Lines: rung's file, name (of the way back: a kernel's), D, threads, bytes;
 * another one, its name "NAME causal", where a causal limit makes it another.
 */
#include "common/print/report.h"

#include "07_cuda/backward/gradient_rung.h"
#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/steps.h"

static const char *const number[RUNGS] = {"1",  "2",  "3",  "4", "5a",
                                          "5b", "6a", "6b", "7", "8",
                                          "9",  "10", "11", "12"};

/* The kernels of the way back that have the products. */
static const struct {
    const char *number, *kernel;
    int rung;
} backward[] = {{"b1", "atomics", BACKWARD_atomics},
                {"b2", "only_dQ", BACKWARD_two_kernels},
                {"b2", "dK_and_dV", BACKWARD_two_kernels},
                {"b3", "tensor_cores", BACKWARD_tensor_cores},
                {"b4a", "wgmma_dQ", BACKWARD_wgmma},
                {"b4a", "wgmma_dKV", BACKWARD_wgmma},
                {"b4b", "reduce", BACKWARD_reduce}};

/* What the last launches asked for. */
static void print(const char *of, const char *name, const char *how, int D)
{
    struct cuda_counts c = cuda_on_cpu_counts();

    printf("%s\t%s%s\t%d\t%zu\t%zu\n", of, name, how, D, (size_t)c.most_threads,
           (size_t)c.most_shared);
}

/* One query, which sees one key; there is another, if causal. */
static int launch(int r, int D, bool causal)
{
    static float x[4][512], L[1];
    size_t shared = (size_t)cuda_on_cpu_counts().most_shared;
    layer l = {.B = 1,
               .Hq = 1,
               .Hk = 1,
               .each = {.Nq = 1,
                        .Nk = 1 + causal,
                        .d = (size_t)D,
                        .dv = (size_t)D,
                        .scale = 1,
                        .causal = causal}};
    memory mem;

    layer_give(&l, x[0], x[1], x[2], x[3], L);
    memory_init(&mem, 0);
    if (rung_layer(&ladder[r], rung_type(&ladder[r], BF16), &l, &mem)) {
        fprintf(stderr, "launches: %s: %s\n", ladder[r].name, mem.message);
        return 1;
    }
    if (!causal || cuda_on_cpu_counts().most_shared != shared)
        print(number[r], ladder[r].name, causal ? " causal" : "", D);
    return 0;
}

static int launch_backward(int k, int D)
{
    static float x[5][256], L[1], dQ[256], dK[256], dV[256];
    const gradient_rung *r = &backward_ladder[backward[k].rung];
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
                          .dQ = dQ,
                          .dK = dK,
                          .dV = dV};

    if (gradients_on_device(r->run, &p, NULL)) {
        fprintf(stderr, "launches: %s failed\n", backward[k].kernel);
        return 1;
    }
    print(backward[k].number, backward[k].kernel, "", D);
    return 0;
}

int main(void)
{
    const int kernels = sizeof backward / sizeof backward[0];
    int failed = 0;

    for (int r = 0; r < RUNGS && !failed; r++)
        for (int k = 0; k < HEAD_SIZES && !failed; k++)
            if (ladder[r].Br[k] > 0)
                failed = launch(r, head_size[k], false) ||
                         launch(r, head_size[k], true);
    for (int b = 0; b < kernels && !failed; b++) {
        const gradient_rung *r = &backward_ladder[backward[b].rung];

        for (int D = r->narrowest; D <= r->widest && !failed; D *= 2)
            failed = launch_backward(b, D);
    }
    return report_end(failed);
}
