/*
 * The model's way forward and back (model.h).
 */
#include "docs/lab/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/threads.h"

/* --- Attention ------------------------------------------------------------- */

static array of(float *all, size_t nth, size_t rows, size_t cols)
{
    return (array){matrix_of(all ? all + nth * rows * cols : NULL, rows, cols),
                   FP32};
}

typedef struct {
    const model *m;
    const layer_state *l;
} heads_job;

/* Token i sees itself and what came before. */
static gradients head_of(const heads_job *job, size_t nth)
{
    const model *m = job->m;
    const layer_state *l = job->l;
    size_t T = m->s.T, d = m->s.C / m->s.H, all = m->s.B * T * m->s.C;

    return (gradients){
        .h = {.Nq = T,
              .Nk = T,
              .d = d,
              .dv = d,
              .Q = of(l->Q, nth, T, d),
              .K = of(l->K, nth, T, d),
              .V = of(l->V, nth, T, d),
              .O = of(l->O, nth, T, d),
              .L = of(l->L, nth, T, 1),
              .scale = 1 / sqrtf((float)d),
              .causal = true,
              .Br = 32,
              .Bc = 32,
              .kept = {.P = of(l->P, nth, T, T),
                       .m = of(l->m, nth, T, 1),
                       .l = of(l->l, nth, T, 1)}},
        .dO = of(m->dheads, nth, T, d),
        .dQ = of(m->dheads + all, nth, T, d),
        .dK = of(m->dheads + 2 * all, nth, T, d),
        .dV = of(m->dheads + 3 * all, nth, T, d),
    };
}

static int head_forward(const void *job, size_t nth, memory *mem)
{
    gradients g = head_of(job, nth);

    return ((const heads_job *)job)->m->pair->forward(&g.h, mem);
}

static int head_backward(const void *job, size_t nth, memory *mem)
{
    gradients g = head_of(job, nth);

    return ((const heads_job *)job)->m->pair->backward(&g, mem);
}

static int run_heads(const model *m, const layer_state *l, thread_job *run)
{
    const heads_job job = {m, l};
    memory mem;
    int error;

    memory_init(&mem, MEMORY_UNBOUNDED);
    error = run_on_threads(run, &job, m->s.B * m->s.H, &mem);
    if (error)
        fprintf(stderr, "%s: %s\n", m->pair->name, mem.message);
    memory_reset(&mem);
    return error;
}

/* --- Forward --------------------------------------------------------------- */

static int layer_forward(model *m, size_t k, float *next)
{
    const model_sizes *s = &m->s;
    layer_state *l = &m->layer[k];
    size_t n = s->B * s->T, C = s->C;
    float *W = m->weight;

    norm(l->norm, l->x, n, C);
    memset(l->QKV, 0, 3 * n * C * sizeof *l->QKV);
    multiply(l->QKV, l->norm, W + matrix_at(s, k, QKV_OF), n, C, 3 * C);
    turn_heads(s, l->QKV, 3 * C, 0, l->Q, true);
    turn_heads(s, l->QKV, 3 * C, C, l->K, true);
    turn_heads(s, l->QKV, 3 * C, 2 * C, l->V, true);
    if (run_heads(m, l, head_forward))
        return 1;
    turn_heads(s, l->mixed, C, 0, l->O, false);
    memcpy(l->x2, l->x, n * C * sizeof *l->x);
    multiply(l->x2, l->mixed, W + matrix_at(s, k, WO), n, C, C);

    norm(l->norm2, l->x2, n, C);
    memset(l->hidden, 0, 4 * n * C * sizeof *l->hidden);
    multiply(l->hidden, l->norm2, W + matrix_at(s, k, W1), n, C, 4 * C);
    for (size_t e = 0; e < 4 * n * C; e++)
        l->hidden[e] = fmaxf(l->hidden[e], 0);
    memcpy(next, l->x2, n * C * sizeof *next);
    multiply(next, l->hidden, W + matrix_at(s, k, W2), n, 4 * C, C);
    return 0;
}

int model_forward(model *m, const unsigned char *tokens)
{
    const model_sizes *s = &m->s;
    size_t n = s->B * s->T, C = s->C;
    float *x = s->layers ? m->layer[0].x : m->x;

    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < C; c++)
            x[i * C + c] = m->weight[tokens[i] * C + c] +
                           m->weight[positions_at(s) + i % s->T * C + c];
    for (size_t k = 0; k < s->layers; k++)
        if (layer_forward(m, k, k + 1 < s->layers ? m->layer[k + 1].x : m->x))
            return 1;
    norm(m->norm, m->x, n, C);
    memset(m->logits, 0, n * s->vocabulary * sizeof *m->logits);
    multiply(m->logits, m->norm, m->weight + unembedding_at(s), n, C,
             s->vocabulary);
    return 0;
}

/* ln sum e^x of one token's logits. */
static double log_sum(const float *x, size_t n)
{
    double max = (double)max_of(x, n), sum = 0;

    for (size_t v = 0; v < n; v++)
        sum += exp((double)x[v] - max);
    return max + log(sum);
}

double model_loss(const model *m, const unsigned char *next)
{
    size_t n = m->s.B * m->s.T, V = m->s.vocabulary;
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum +=
            log_sum(m->logits + i * V, V) - (double)m->logits[i * V + next[i]];
    return sum / (double)n;
}

/* --- Backward -------------------------------------------------------------- */

/* m->dx is the gradient of what the layer gave; then, of what it was given. */
static int layer_backward(model *m, size_t k)
{
    const model_sizes *s = &m->s;
    layer_state *l = &m->layer[k];
    size_t n = s->B * s->T, C = s->C, all = n * C;
    float *W = m->weight, *G = m->gradient;

    memset(m->dwide, 0, 4 * all * sizeof *m->dwide);
    multiply_back(m->dwide, G + matrix_at(s, k, W2), m->dx, l->hidden,
                  W + matrix_at(s, k, W2), n, 4 * C, C);
    for (size_t e = 0; e < 4 * all; e++)
        if (l->hidden[e] == 0) /* relu was flat there */
            m->dwide[e] = 0;
    memset(m->dy, 0, all * sizeof *m->dy);
    multiply_back(m->dy, G + matrix_at(s, k, W1), m->dwide, l->norm2,
                  W + matrix_at(s, k, W1), n, C, 4 * C);
    norm_back(m->dx, m->dy, l->norm2, l->x2, n, C);

    memset(m->dy, 0, all * sizeof *m->dy);
    multiply_back(m->dy, G + matrix_at(s, k, WO), m->dx, l->mixed,
                  W + matrix_at(s, k, WO), n, C, C);
    turn_heads(s, m->dy, C, 0, m->dheads, true); /* dO */
    if (run_heads(m, l, head_backward))
        return 1;
    turn_heads(s, m->dwide, 3 * C, 0, m->dheads + all, false);
    turn_heads(s, m->dwide, 3 * C, C, m->dheads + 2 * all, false);
    turn_heads(s, m->dwide, 3 * C, 2 * C, m->dheads + 3 * all, false);
    memset(m->dy, 0, all * sizeof *m->dy);
    multiply_back(m->dy, G + matrix_at(s, k, QKV_OF), m->dwide, l->norm,
                  W + matrix_at(s, k, QKV_OF), n, C, 3 * C);
    norm_back(m->dx, m->dy, l->norm, l->x, n, C);
    return 0;
}

int model_backward(model *m, const unsigned char *tokens,
                   const unsigned char *next)
{
    const model_sizes *s = &m->s;
    size_t n = s->B * s->T, C = s->C, V = s->vocabulary;
    float *dlogits = m->logits; /* in their place */

    memset(m->gradient, 0, m->parameters * sizeof *m->gradient);
    for (size_t i = 0; i < n; i++) { /* softmax - 1 at the right token */
        double L = log_sum(m->logits + i * V, V);

        for (size_t v = 0; v < V; v++)
            dlogits[i * V + v] =
                (float)((exp((double)m->logits[i * V + v] - L) -
                         (v == next[i])) /
                        (double)n);
    }
    memset(m->dy, 0, n * C * sizeof *m->dy);
    memset(m->dx, 0, n * C * sizeof *m->dx);
    multiply_back(m->dy, m->gradient + unembedding_at(s), dlogits, m->norm,
                  m->weight + unembedding_at(s), n, C, V);
    norm_back(m->dx, m->dy, m->norm, m->x, n, C);
    for (size_t k = s->layers; k-- > 0;)
        if (layer_backward(m, k))
            return 1;
    for (size_t i = 0; i < n; i++) {
        axpy(m->gradient + tokens[i] * C, 1, m->dx + i * C, C);
        axpy(m->gradient + positions_at(s) + i % s->T * C, 1, m->dx + i * C, C);
    }
    return 0;
}
