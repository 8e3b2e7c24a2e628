/*
 * The ladder's table on a GPU: what each rung reaches (table.h).
 */
#include "07_cuda/host/table.h"

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>

#include "07_cuda/host/device.h"
#include "07_cuda/bench/matmul.h"
#include "07_cuda/bench/timing.h"

const char *table_machine(void)
{
    static cudaDeviceProp device;

    if (cudaGetDeviceProperties(&device, 0) != cudaSuccess)
        return "a GPU that doesn't answer";
    return device.name;
}

void table_set_effort(void)
{
}

/* A rung, and the matrix product of its type that it is compared with, in
 * turns. */
static int print_rung(const rung *r, precision type, const char *format)
{
    matmul m = {};
    rung_problem p;
    int error = problem_random(&p, type, {1, 16, 16, 4096, 4096, 128, false});
    std::vector<contender> c = {
        {r->name, [&] { return r->run(&p); }, problem_flops(&p)}};

    if (!error)
        error = matmul_new(&m, type);
    if (m.handle)
        c.push_back(matmul_contender(&m));
    if (!error)
        error = time_in_turns(c, type == FP32 ? 3 : 9);
    problem_free(&p);
    matmul_free(&m);
    if (error) {
        fprintf(stderr, "%s: %s\n", r->name, device_error(error));
        return 1;
    }
    double rate = c[0].work / c[0].median,
           peak = m.handle ? c[1].work / c[1].median : NAN;
    printf(format, r->name, c[0].median * 1e3, rate / 1e12, 100 * rate / peak,
           100 * c[0].spread);
    return 0;
}

static int print_rungs(precision type, const char *format)
{
    for (int k = 0; k < RUNGS; k++)
        if (rung_runs_here(&ladder[k]) &&
            print_rung(&ladder[k], rung_type(&ladder[k], type), format))
            return 1;
    return 0;
}

int table_of_ladder(precision type)
{
    printf("The ladder, timed: 16 heads, 4096 queries and keys, d 128\n");
    printf("%-12s %10s %10s %10s %8s\n", "rung", "ms", "TFLOP/s", "of cuBLAS",
           "spread");
    return print_rungs(type, "%-12s %10.3f %10.1f %9.1f%% %7.1f%%\n");
}

int table_for_plots(precision type)
{
    puts("rung,ms,tflops,percent,spread");
    return print_rungs(type, "%s,%.4f,%.2f,%.1f,%.2f\n");
}
