/*
 * The ladder's table on a GPU: what each rung reaches (table.h).
 */
#include "table.h"

#include <cuda_runtime.h>
#include <stdio.h>

#include "device.h"
#include "timing.h"

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

struct runner {
    rung_fn *run;
    rung_problem *p;
};

static int start(void *self)
{
    runner *r = (runner *)self;

    return r->run(r->p);
}

/* Milliseconds and TFLOP/s of each rung at (1, 16, 4096, 128). */
static int print_rungs(precision type, const char *format)
{
    for (int k = 0; k < RUNGS; k++) {
        rung_problem p;
        int error = problem_random(&p, ladder[k].type == FP32 ? FP32 : type, 16,
                                   4096, 128, 0);
        runner r = {ladder[k].run, &p};
        contender c = {ladder[k].name, start, &r, problem_flops(&p), 0, 0};

        if (!error)
            error = time_in_turns(&c, 1, 9);
        problem_free(&p);
        if (error) {
            fprintf(stderr, "%s: %s\n", c.name, device_error(error));
            return 1;
        }
        printf(format, c.name, c.median * 1e3, c.work / c.median / 1e12,
               100 * c.spread);
    }
    return 0;
}

int table_of_ladder(precision type)
{
    printf("The ladder, timed: 16 heads, 4096 queries and keys, d 128\n");
    printf("%-12s %10s %10s %8s\n", "rung", "ms", "TFLOP/s", "spread");
    return print_rungs(type, "%-12s %10.3f %10.1f %7.1f%%\n");
}

int table_for_plots(precision type)
{
    puts("rung,ms,tflops,spread");
    return print_rungs(type, "%s,%.4f,%.2f,%.2f\n");
}
