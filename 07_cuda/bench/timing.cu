/*
 * Timing kernels by events (timing.h).
 */
#include "07_cuda/bench/timing.h"

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <vector>

#include "07_cuda/host/device.h"

extern "C" {
#include "common/problem/random.h"
}

/* Seconds of `times` starts in a row, by two events around them. */
static int time_starts(const contender *c, int times, double *seconds)
{
    cudaEvent_t from, to;
    float ms = 0;
    int error = cudaEventCreate(&from);

    if (error)
        return error;
    error = cudaEventCreate(&to);
    if (!error)
        error = cudaEventRecord(from);
    for (int k = 0; k < times && !error; k++)
        error = c->start(c->self);
    if (!error)
        error = cudaEventRecord(to);
    if (!error)
        error = cudaEventSynchronize(to);
    if (!error)
        error = cudaEventElapsedTime(&ms, from, to);
    cudaEventDestroy(from);
    cudaEventDestroy(to);
    *seconds = ms / 1e3;
    return error;
}

int time_in_turns(contender *c, size_t n, int rounds)
{
    std::vector<std::vector<double>> times(n);
    std::vector<int> starts(n, 1);
    double seconds;

    for (int round = -2; round < rounds; round++)
        for (size_t k = 0; k < n; k++) {
            int error = starts[k] ? time_starts(&c[k], starts[k], &seconds) : 0;

            if (error == cudaErrorNoKernelImageForDevice) {
                fprintf(stderr, "%s: no kernel for this GPU\n", c[k].name);
                cudaGetLastError(); /* or the next one is blamed */
                starts[k] = 0;
            } else if (error)
                return error;
            if (starts[k] == 0)
                continue;
            if (round == -1)
                starts[k] = 1 + (int)(2e-3 / std::max(seconds, 1e-6));
            if (round >= 0)
                times[k].push_back(seconds / starts[k]);
        }
    for (size_t k = 0; k < n; k++) {
        std::vector<double> &t = times[k];

        if (t.empty())
            t.push_back(NAN);
        std::sort(t.begin(), t.end());
        c[k].median = t[t.size() / 2];
        c[k].spread = (t[t.size() * 3 / 4] - t[t.size() / 4]) / c[k].median;
    }
    return 0;
}

/* A new device array of that many normal numbers. */
static int random_array(const void **to, precision type, size_t n,
                        random_source *source)
{
    size_t size = type == FP32 ? 4 : 2, period = std::min(n, (size_t)1 << 20);
    std::vector<float> x(period);
    std::vector<uint16_t> narrow(period);
    void *a = nullptr;
    int error = cudaMalloc(&a, n * size);

    *to = a;
    random_fill(source, x.data(), period, 1);
    for (size_t k = 0; k < period && type != FP32; k++)
        narrow[k] = type == BF16 ? to_bf16(x[k]) : to_fp16(x[k]);
    /* A million numbers again and again: no kernel can profit from that. */
    for (size_t at = 0; at < n && !error; at += period)
        error =
            cudaMemcpy((char *)a + at * size,
                       type == FP32 ? (void *)x.data() : narrow.data(),
                       std::min(period, n - at) * size, cudaMemcpyHostToDevice);
    return error;
}

/* Makes the arrays of a problem whose sizes are there. */
static int fill(rung_problem *p)
{
    random_source source = random_seed(1);
    size_t rows = (size_t)p->heads * p->Nq, size = p->type == FP32 ? 4 : 2;
    size_t keys = (size_t)(p->heads / p->group) * p->Nk;
    int error = random_array(&p->Q, p->type, rows * p->D, &source);

    p->scale = p->D == 64 ? 0.125f : 0.08838835f;
    if (!error)
        error = random_array(&p->K, p->type, keys * p->D, &source);
    if (!error)
        error = random_array(&p->V, p->type, keys * p->D, &source);
    if (!error)
        error = cudaMalloc(&p->O, rows * p->D * size);
    if (!error)
        error = cudaMalloc(&p->L, rows * 4);
    if (!error)
        error = cudaMalloc(&p->m, rows * 4);
    if (!error)
        error = cudaMalloc(&p->l, rows * 4);
    if (!error)
        error = cudaMalloc(&p->scratch, scratch_bytes(p));
    return error;
}

int problem_decoding(rung_problem *p, int heads, int group, int Nq, int Nk,
                     int d)
{
    *p = rung_problem();
    p->type = BF16;
    p->heads = heads;
    p->group = group;
    p->Nq = Nq;
    p->Nk = Nk;
    p->D = d;
    p->offset = Nk - Nq;
    return fill(p);
}

int problem_random(rung_problem *p, precision type, int heads, int N, int d,
                   int causal)
{
    *p = rung_problem();
    p->type = type;
    p->heads = heads;
    p->group = 1;
    p->Nq = p->Nk = N;
    p->D = d;
    p->offset = causal ? 0 : N;
    return fill(p);
}

void problem_free(rung_problem *p)
{
    void *at[ARRAYS];
    size_t size[ARRAYS];

    rung_arrays(p, at, size);
    for (int a = 0; a < ARRAYS; a++)
        cudaFree(at[a]);
}

double problem_flops(const rung_problem *p)
{
    double pairs = (double)p->Nq * p->Nk;

    if (p->offset < p->Nk - 1)
        pairs = (double)p->Nq * (p->Nq + 1) / 2;
    return 4 * pairs * p->D * p->heads;
}

void print_columns(void)
{
    printf("step\tdtype\tB\tH\tN\td\tcausal\tms\ttflops\tpercent\tspread\n");
}

int print_row(const char *program, const contender *c, const rung_problem *p,
              int batch, double peak, double most)
{
    double rate = c->work / c->median;

    if (rate > most * peak) {
        fprintf(stderr,
                "%s: %s: %.0f TFLOP/s is above the peak, %.0f: not believed\n",
                program, c->name, rate / 1e12, peak / 1e12);
        return 1;
    }
    printf("%s\t%s\t%d\t%d\t%d\t%d\t%d\t%.5f\t%.2f\t%.1f\t%.3f\n", c->name,
           precision_name(p->type), batch, p->heads / batch, p->Nq, p->D,
           p->offset == 0, c->median * 1e3, rate / 1e12, 100 * rate / peak,
           c->spread);
    fflush(stdout);
    return 0;
}
