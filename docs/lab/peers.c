/*
 * What peers.py calls of this project, as the shared library peers.so: a
 * problem, our steps on it, and what is right for it.
 */
#include <stdlib.h>
#include <string.h>

#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
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

/* Its array of that name: B H N d floats. */
float *problem_array(bench_problem *w, const char *name)
{
    const attention_arrays *a = &w->b.forward;
    const struct {
        const char *name;
        float *data;
    } arrays[] = {{"Q", a->Q.data},     {"K", a->K.data},
                  {"V", a->V.data},     {"O", a->O.data},
                  {"dO", w->b.dO.data}, {"dQ", w->b.dQ.data},
                  {"dK", w->b.dK.data}, {"dV", w->b.dV.data}};
    size_t k = 0;

    while (strcmp(arrays[k].name, name) != 0)
        k++;
    return arrays[k].data;
}

/* FLOP/s that all threads can do now. */
double probe(void)
{
    return peak_flops(thread_count());
}

/* FLOPs of a run. */
double problem_flops(const bench_problem *w)
{
    return (w->b.dO.data ? 2.5 : 1) * bench_flops(&w->b.forward.layer);
}

/* Of what the arrays hold, against float64. */
double problem_error(const bench_problem *w)
{
    return bench_error(w);
}

/* Seconds of one run of flash2_simd, backward_simd or openblas; < 0 if it
 * failed. */
double problem_run(const bench_problem *w, const char *who)
{
    const attention_step simd = {.run_layer = flash2_simd},
                         blas = {.run_layer = three_calls};
    const attention_step back = {.back_heads = backward_simd};

    if (w->b.dO.data)
        return bench_run_step(w, &back);
    return bench_run_step(w, strcmp(who, "openblas") ? &simd : &blas);
}
