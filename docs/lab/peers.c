/*
 * What peers.py calls of this project beside libflash, as the shared library
 * peers.so: a problem and what is right for it, three calls of OpenBLAS, the peak.
 */
#include <math.h>
#include <stdlib.h>

#include "common/speed/peak.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"
#include "docs/lab/three_calls.h"

/* A random layer, dO beside it if it is for the backward pass. NULL after one line
 * on stderr. */
bench_problem *problem_new(size_t B, size_t H, size_t N, size_t d, int causal,
                           int back)
{
    bench_problem *w = calloc(1, sizeof *w);

    if (w && bench_new(w, (bench_shape){B, H, N, d, causal != 0},
                       back ? BACKWARD : FORWARD)) {
        bench_free(w);
        free(w);
        w = NULL;
    }
    return w;
}

void problem_free(bench_problem *w)
{
    bench_free(w);
    free(w);
}

/* Q, K, V, O, dO, dQ, dK or dV: B H N d floats. */
float *problem_array(bench_problem *w, size_t k)
{
    const attention_arrays *a = &w->b.forward;
    float *const arrays[] = {a->Q.data,    a->K.data,    a->V.data,
                             a->O.data,    w->b.dO.data, w->b.dQ.data,
                             w->b.dK.data, w->b.dV.data};

    return arrays[k];
}

/* FLOP/s that all threads can do now. */
double probe(void)
{
    return peak_flops(thread_count());
}

/* O by three calls a head; not 0 if it failed. */
int openblas(size_t B, size_t H, size_t N, size_t d, int causal, float *Q,
             float *K, float *V, float *O)
{
    layer l = {.B = B,
               .Hq = H,
               .Hk = H,
               .mask_B = 1,
               .mask_H = 1,
               .each = {.Nq = N,
                        .Nk = N,
                        .d = d,
                        .dv = d,
                        .scale = 1 / sqrtf((float)d),
                        .rule = {.causal = causal != 0}}};
    memory mem;
    int error;

    memory_init(&mem, MEMORY_UNBOUNDED);
    layer_give(&l, Q, K, V, O, O); /* no L is written */
    error = three_calls(NULL, &l, &mem);
    memory_reset(&mem);
    return error;
}
