/*
 * What peers.py calls of this project, as the shared library peers.so: a
 * problem, our steps on it and OpenBLAS's, and what is right for it.
 */
#include <stdlib.h>
#include <string.h>

#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/speed/peak.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"
#include "docs/lab/peer_openblas.h"

void problem_free(bench_problem *w)
{
    bench_free(w);
    free(w);
}

/* A random layer, dO beside it if it is for the way back. NULL after one line
 * on stderr. */
bench_problem *problem_new(size_t B, size_t H, size_t N, size_t d, int causal,
                           int back)
{
    bench_problem *w = calloc(1, sizeof *w);

    if (w && bench_new(w, (bench_shape){B, H, N, d, causal != 0},
                       back ? BACKWARD : FORWARD)) {
        problem_free(w);
        w = NULL;
    }
    return w;
}

/* Its array of that name: B H N d floats. */
float *problem_array(bench_problem *w, const char *name)
{
    const attention_arrays *a = &w->b.forward;
    const npy_array *of = *name == 'Q'   ? &a->Q
                          : *name == 'K' ? &a->K
                          : *name == 'V' ? &a->V
                                         : &a->O;

    if (*name == 'd')
        of = name[1] == 'Q'   ? &w->b.dQ
             : name[1] == 'K' ? &w->b.dK
             : name[1] == 'V' ? &w->b.dV
                              : &w->b.dO;
    return of->data;
}

/* FLOP/s that all threads can do now. */
double probe(void)
{
    return peak_flops(thread_count());
}

/* FLOPs of a run. */
double problem_flops(const bench_problem *w)
{
    return (w->b.dO.data ? 2.5 : 1) * bench_flops(&w->b.forward.problem);
}

/* Of what the arrays hold, against float64. */
double problem_error(const bench_problem *w)
{
    return bench_error(w);
}

static double run(const bench_problem *w, const char *who)
{
    const attention_step simd = {.run_layer = flash2_simd_layer},
                         blas = {.run_layer = openblas_attention_layer};
    const attention_step back = {.back_heads = backward_simd_heads};
    const void *forward = strcmp(who, "openblas") ? &simd : &blas;

    return bench_run_step(w, w->b.dO.data ? &back : forward);
}

/* The mean seconds of so many runs of flash2_simd, backward_simd or openblas,
 * of several after one that is not counted; < 0 if it failed. */
double problem_run(bench_problem *w, const char *who, size_t runs)
{
    double sum = runs > 1 && run(w, who) < 0 ? -1 : 0;

    for (size_t k = 0; k < runs && sum >= 0; k++) {
        double seconds = run(w, who);

        sum = seconds < 0 ? -1 : sum + seconds;
    }
    return sum / (double)runs;
}
