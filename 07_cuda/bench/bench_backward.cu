/*
 * The way back against this GPU's own peaks: every rung of it beside a cuBLAS
 * matrix product of its type, in turns, in one run. Tab-separated on stdout, as
 * bench.cu writes it; TFLOP/s count five products, however many a rung has.
 * O and L are a forward rung's. docs/measuring.md
 *
 *     bench_backward [small]
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "07_cuda/backward/gradient_rung.h"
#ifndef CUDA_ON_CPU
#include "07_cuda/bench/matmul.h"
#endif
#include "07_cuda/bench/timing.h"
#include "07_cuda/host/device.h"

struct runner {
    gradient_fn *run;
    const gradient_problem *p;
};

static int start_rung(void *self)
{
    runner *r = (runner *)self;

    return r->run(r->p);
}

static const char *const names[] = {"backward_atomics", "backward_two_kernels",
                                    "backward_tensor_cores", "backward_wgmma",
                                    "backward_reduce"};
static_assert(sizeof names / sizeof names[0] == BACKWARD_RUNGS, "one each");

static int fail(const char *what, int error)
{
    fprintf(stderr, "bench_backward: %s: %s\n", what, device_error(error));
    return 1;
}

/* The forward pass of p->forward; dO and the gradients are arrays of another
 * problem of the same size. */
static int prepare(gradient_problem *p, const rung_problem *other)
{
    const rung_problem &f = p->forward;
    size_t size = (size_t)f.heads * f.Nq * f.D * sizeof(float);
    int error = f.type == FP32 ? rung_flash2(&f) : rung_swizzle(&f);

    p->dO = other->Q;
    p->dQ = other->O;
    p->dK = (void *)other->K;
    p->dV = (void *)other->V;
    p->D = other->L;
    if (!error)
        error = cudaMalloc(&p->dQ_sum, size);
    return error ? error : cudaDeviceSynchronize();
}

/* Times the rungs of that type, and the product where there is one. */
static int bench(precision type, int B, int H, int N, int d, int causal,
                 int rounds, const contender *ceiling)
{
    runner r[BACKWARD_RUNGS];
    contender c[BACKWARD_RUNGS + 1];
    gradient_problem p = {};
    rung_problem other = {};
    size_t n = 0;
    int refused = 0;
    int error = problem_random(&p.forward, type, B * H, N, d, causal);
    const double work = 2.5 * problem_flops(&p.forward);

    if (!error)
        error = problem_random(&other, type, B * H, N, d, causal);
    if (!error)
        error = prepare(&p, &other);
    for (int k = 0; k < BACKWARD_RUNGS; k++) {
        const gradient_rung *of = &backward_ladder[k];

        if (of->type != type || d < of->narrowest || d > of->widest ||
            (of->hopper && !rung_runs_here(&ladder[FIRST_HOPPER])))
            continue;
        r[n] = {of->run, &p};
        c[n] = {names[k], start_rung, &r[n], work, 0, 0};
        n++;
    }
    if (ceiling)
        c[n++] = *ceiling;
    if (!error)
        error = time_in_turns(c, n, rounds);
    cudaFree(p.dQ_sum);
    problem_free(&p.forward);
    problem_free(&other);
    if (error)
        return fail("a rung", error);
    double peak = ceiling ? c[n - 1].work / c[n - 1].median : NAN;
    for (size_t k = 0; k < n; k++)
        refused |=
            print_row("bench_backward", &c[k], &p.forward, B, peak, 1.05);
    return refused;
}

/* On the emulator there is neither time nor cuBLAS: small alone, to be tried. */
static int bench_small(void)
{
    return bench(FP32, 1, 2, 70, 64, 1, 1, nullptr) |
           bench(BF16, 1, 2, 70, 64, 1, 1, nullptr);
}

static int bench_all(void)
{
    int status = 0;
#ifndef CUDA_ON_CPU
    /* [batch, heads, N, d] */
    static const int shapes[][4] = {
        {4, 16, 4096, 64}, {4, 16, 4096, 128}, {1, 16, 16384, 128}};
    matmul m[2] = {};
    contender ceiling[2];
    int error = matmul_new(&m[0], FP32);

    if (!error)
        error = matmul_new(&m[1], BF16);
    if (error)
        return fail("cuBLAS", error);
    if (!m[1].handle)
        fprintf(stderr, "bench_backward: no libcublas.so here: percent is "
                        "nan\n");
    for (int k = 0; k < 2; k++)
        ceiling[k] = matmul_contender(&m[k]);
    for (const int(&s)[4] : shapes)
        for (int causal = 0; causal < 2; causal++)
            for (int k = 0; k < 2; k++) /* fp32 takes long: at one length */
                if (k == 1 || s[2] == 4096)
                    status |=
                        bench(k ? BF16 : FP32, s[0], s[1], s[2], s[3], causal,
                              k ? 11 : 3, m[k].handle ? &ceiling[k] : nullptr);
#endif
    return status;
}

int main(int argc, char **argv)
{
    rung_runs_here(&ladder[FIRST_HOPPER]); /* no GPU: this ends it */
    print_columns();
    return argc > 1 && !strcmp(argv[1], "small") ? bench_small() : bench_all();
}
