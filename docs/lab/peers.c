/* The library peers.so, which peers.py calls in addition to libflash. */
#include <math.h>
#include <string.h>

#include "06_flash2/fast/bf16_heads.h"
#include "common/speed/peak.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"
#include "docs/lab/three_calls.h"

static bench_problem now;

/* Replaces the current problem by a random layer. what is "forward", "bf16"
 * (inputs are rounded to bf16) or "back" (the problem has a dO). Returns 0, or
 * another number after one line on stderr. */
int problem_new(size_t B, size_t H, size_t N, size_t d, int causal,
                const char *what)
{
    bench_kind kind = strcmp(what, "back") == 0   ? BACKWARD
                      : strcmp(what, "bf16") == 0 ? FORWARD_BF16
                                                  : FORWARD;

    bench_free(&now);
    return bench_new(&now, (bench_shape){B, H, N, d, causal != 0}, kind);
}

/* Returns array k of Q, K, V, O, dO, dQ, dK, dV: B x H x N x d floats. */
float *problem_array(size_t k)
{
    const backward_problem *b = &now.b;
    const problem *p = &b->forward;
    float *const arrays[] = {p->Q.data,  p->K.data,  p->V.data,  p->O.data,
                             b->dO.data, b->dQ.data, b->dK.data, b->dV.data};

    return arrays[k];
}

double problem_flops(void)
{
    return (now.b.dO.data ? 2.5 : 1) * bench_flops(&now.b.forward.layer);
}

double problem_worst_error(void)
{
    return bench_error(&now);
}

/* Returns the peak FLOP/s in bf16 or fp32, as in the current problem. */
double probe(void)
{
    return now.narrow.bits ? bf16_peak(thread_count())
                           : peak_flops(thread_count());
}

/* Returns "amx", "pairs" or NULL (bf16_heads.h). */
const char *instructions(void)
{
    return bf16_instructions();
}

/* Runs three_calls. The arrays have B x H x N x d floats. Returns its error. */
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
    layer_give(&l, Q, K, V, O, O); /* three_calls does not write L */
    error = three_calls(NULL, &l, &mem);
    memory_reset(&mem);
    return error;
}
