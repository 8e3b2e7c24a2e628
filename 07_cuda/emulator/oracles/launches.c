/* launches.c: launches each rung on the emulator, and prints the threads and
 * the dynamic shared memory of a block. sass_check.sh reads the output.
 *
 * A line has six columns: the name of the rung (in the backward pass: of a
 * kernel), D, threads, bytes, KiB in the ladder's table, and the first card
 * that can run it. If a causal limit changes the bytes, another line has the
 * name "NAME causal". */
#include "common/print/report.h"

#include "07_cuda/backward/gradient_rung.h"
#include "07_cuda/emulator/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/host/device.h"

/* The arrays of a problem with one query, which sees one key. */
static float x[5][512], gradient[3][256], L[1], scratch[16384];
static size_t last_shared;

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

/* Prints the line of the last launch, or the error. Returns the error. */
static int print(const char *name, const char *how, const demand *n, int D,
                 int error)
{
    struct cuda_counts c = cuda_on_cpu_counts();
    const card *first = cards;
    char why[REASON];

    if (error) {
        fprintf(stderr, "launches: %s: %s\n", name, device_error(error));
        return error;
    }
    while (!card_runs(first, n, D, why))
        first++;
    last_shared = (size_t)c.most_shared;
    printf("%s%s\t%d\t%zu\t%zu\t%d\t%s\n", name, how, D, (size_t)c.most_threads,
           last_shared, rows_for(n->KiB, D), first->name);
    return 0;
}

static int launch(const rung *r, int D)
{
    rung_problem p = problem(r->type, D, false);
    int error = rung_on_device(r->run, &p, NULL);

    if (print(r->name, "", &r->needs, D, error))
        return 1;
    p = problem(r->type, D, true);
    error = rung_on_device(r->run, &p, NULL);
    return cuda_on_cpu_counts().most_shared == last_shared
               ? error
               : print(r->name, " causal", &r->needs, D, error);
}

/* `kernel` is the name of the rung's kernel with the matrix products. */
static int launch_backward(const gradient_rung *r, const char *kernel, int D)
{
    gradient_problem p = {.forward = problem(r->type, D, false),
                          .dO = x[4],
                          .dQ = gradient[0],
                          .dK = gradient[1],
                          .dV = gradient[2]};
    int error = gradients_on_device(r->run, &p, NULL);

    return print(kernel, "", &r->needs, D, error);
}

int main(void)
{
    static const struct {
        const char *name;
        int rung;
    } kernels[] = {{"atomics", BACKWARD_atomics},
                   {"only_dQ", BACKWARD_two_kernels},
                   {"dK_and_dV", BACKWARD_two_kernels},
                   {"tensor_cores", BACKWARD_tensor_cores},
                   {"wgmma_dQ", BACKWARD_wgmma},
                   {"wgmma_dKV", BACKWARD_wgmma},
                   {"reduce", BACKWARD_reduce}};
    int failed = 0;

    for (const rung *r = ladder; r < ladder + RUNGS; r++)
        for (int k = 0; k < HEAD_SIZES && !failed; k++)
            if (r->needs.KiB[k] > 0)
                failed = launch(r, head_size[k]);
    for (int n = 0; n < 7; n++) {
        const gradient_rung *r = &backward_ladder[kernels[n].rung];

        for (int k = 0; k < HEAD_SIZES && !failed; k++)
            if (r->needs.KiB[k] > 0)
                failed = launch_backward(r, kernels[n].name, head_size[k]);
    }
    return report_end(failed);
}
