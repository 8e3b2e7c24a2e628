/*
 * What the first thread of each warpgroup asked and waited for, in rungs 8, 9
 * and 10, as the emulator saw it: for timeline.py.
 *
 * Lines: rung, and those of cuda_on_cpu_trace: thread, what, of which barrier,
 * number.
 */
#include <stdio.h>

#include "common/problem/random.h"
#include "common/print/report.h"

#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/steps.h"

/* A tile of queries, and 4 of 128 keys, the last behind a causal limit: then all
 * three rungs have tiles of that size. */
enum { N_Q = 128, N_K = 640, SEEN = 512, D = 128 };

static int trace_rung(const rung *r, FILE *to)
{
    static float inputs[3][N_K * D], O[N_Q * D], L[N_Q];
    random_source source = random_seed(7);
    layer l = {.B = 1,
               .Hq = 1,
               .Hk = 1,
               .each = {.Nq = N_Q,
                        .Nk = N_K,
                        .d = D,
                        .dv = D,
                        .scale = 0.0884f,
                        .causal = true,
                        .offset = SEEN - N_Q}};
    memory mem;
    int error;

    layer_give(&l, inputs[0], inputs[1], inputs[2], O, L);
    random_fill(&source, &inputs[0][0], 3 * N_K * D, 1);
    memory_init(&mem, 0);
    cuda_on_cpu_trace(to);
    error = rung_layer(r, BF16, &l, &mem);
    cuda_on_cpu_trace(NULL);
    if (error)
        fprintf(stderr, "trace: %s: %s\n", r->name, mem.message);
    return error;
}

int main(void)
{
    int failed = 0;

    for (int r = RUNG_wgmma; r <= RUNG_pingpong && !failed; r++) {
        FILE *trace = tmpfile();
        char line[80];

        failed = !trace || trace_rung(&ladder[r], trace);
        if (trace)
            rewind(trace);
        while (!failed && fgets(line, sizeof line, trace))
            printf("%s\t%s", ladder[r].name, line);
        if (trace)
            fclose(trace);
    }
    return report_end(failed);
}
