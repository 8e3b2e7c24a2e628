/*
 * What the first thread of each warpgroup asked and waited for, in rungs 8, 9
 * and 10, as the emulator saw it: for timeline.py.
 *
 * Lines: rung, name; then of cuda_on_cpu_trace: thread, what, of which barrier,
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

int main(void)
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

    layer_give(&l, inputs[0], inputs[1], inputs[2], O, L);
    random_fill(&source, &inputs[0][0], 3 * N_K * D, 1);
    cuda_on_cpu_trace(stdout);
    for (const rung *r = &ladder[RUNG_wgmma]; r <= &ladder[RUNG_pingpong];
         r++) {
        memory_init(&mem, 0);
        printf("rung\t%s\n", r->name);
        if (rung_layer(r, BF16, &l, &mem)) {
            fprintf(stderr, "trace: %s: %s\n", r->name, mem.message);
            return 1;
        }
    }
    return report_end(0);
}
