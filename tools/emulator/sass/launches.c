/* launches.c: launches each rung on the emulator, and prints the threads and
 * the dynamic shared memory of a block. sass_check.sh reads the output.
 *
 * A line has six columns. The first is the name of the rung or, in the backward
 * pass, of the kernel. Then come D, threads, bytes, KiB in the ladder's table,
 * and the first card that can run it. If a causal limit changes the bytes,
 * another line has the name "NAME causal". */
#include "common/print/report.h"

#include "07_cuda/backward/gradient_rung.h"
#include <cuda_on_cpu.h>
#include "07_cuda/host/device.h"

/* The arrays of a problem with one query, which sees one key. */
static float x[5][512], gradient[3][256], L[1], scratch[16384];

static rung_problem problem(precision type, int D, bool causal)
{
    return (rung_problem){.type = type,
                          .Q = x[0],
                          .K = x[1],
                          .V = x[2],
                          .O = x[3],
                          .L = L,
                          .heads = 1,
                          .group = 1,
                          .Nq = 1,
                          .Nk = 1 + causal,
                          .D = D,
                          .scale = 1,
                          .offset = causal ? 0 : 1,
                          .scratch = scratch};
}

/* Prints the line of a kernel, or the error. Returns the error. */
static int print(const char *name, const char *how, const demand *n, int D,
                 size_t shared, int error)
{
    const card *first = cards;
    char why[REASON];

    if (error) {
        fprintf(stderr, "launches: %s: %s\n", name, device_error(error));
        return error;
    }
    while (!card_runs(first, n, D, why))
        first++;
    printf("%s%s\t%d\t%zu\t%zu\t%d\t%s\n", name, how, D,
           (size_t)cuda_on_cpu_counts().most_threads, shared,
           rows_for(n->KiB, D), first->name);
    return 0;
}

static int launch(const rung *r, int D)
{
    rung_problem p = problem(r->type, D, false);
    int error = rung_on_device(r->run, &p, NULL);
    size_t shared = cuda_on_cpu_counts().most_shared, causal;

    if (print(r->name, "", &r->needs, D, shared, error))
        return 1;
    p = problem(r->type, D, true);
    error = rung_on_device(r->run, &p, NULL);
    causal = cuda_on_cpu_counts().most_shared;
    return causal == shared
               ? error
               : print(r->name, " causal", &r->needs, D, causal, error);
}

/* `kernel` names a kernel with matrix products. If `last`, the rung launches it
 * last. Otherwise no kernel of the rung has more shared memory. */
static int launch_backward(const gradient_rung *r, const char *kernel,
                           bool last, int D)
{
    gradient_problem p = {.forward = problem(r->type, D, false),
                          .dO = x[4],
                          .dQ = gradient[0],
                          .dK = gradient[1],
                          .dV = gradient[2]};
    int error = gradients_on_device(r->run, &p, NULL);
    struct cuda_counts c = cuda_on_cpu_counts();

    return print(kernel, "", &r->needs, D, last ? c.last_shared : c.most_shared,
                 error);
}

int main(void)
{
    static const struct {
        const char *name;
        int rung;
        bool last;
    } kernels[] = {{"atomics", BACKWARD_atomics, false},
                   {"only_dQ", BACKWARD_two_kernels, false},
                   {"dK_and_dV", BACKWARD_two_kernels, false},
                   {"tensor_cores", BACKWARD_tensor_cores, false},
                   {"wgmma_dQ", BACKWARD_wgmma, false},
                   {"wgmma_dKV", BACKWARD_wgmma, true},
                   {"reduce", BACKWARD_reduce, false}};
    int failed = 0;

    for (const rung *r = ladder; r < ladder + RUNGS; r++)
        for (int k = 0; k < HEAD_SIZES && !failed; k++)
            if (r->needs.KiB[k] > 0)
                failed = launch(r, head_size[k]);
    for (int n = 0; n < 7; n++) {
        const gradient_rung *r = &backward_ladder[kernels[n].rung];

        for (int k = 0; k < HEAD_SIZES && !failed; k++)
            if (r->needs.KiB[k] > 0)
                failed = launch_backward(r, kernels[n].name, kernels[n].last,
                                         head_size[k]);
    }
    return report_end(failed);
}
