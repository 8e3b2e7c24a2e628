/*
 * The model's way forward and back (model.h).
 */
#include "docs/lab/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/backward/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/threads.h"

const attention_pair attention_pairs[PAIRS] = {
    {"standard", standard_attention, standard_backward, KEEPS_P},
    {"flash1", flash1, flash1_backward, KEEPS_M_L},
    {"flash2", flash2, flash2_backward, KEEPS_L},
    {"two_kernels", flash2, two_kernel_backward, KEEPS_L},
    {"simd", flash2_simd, backward_simd, KEEPS_L},
};

void model_begin(model *m, size_t vocabulary, const attention_pair *pair)
{
    random_source source = random_seed(1);
    const double sigma = 1 / sqrt((double)C);
    parameters *w = &m->weight;

    memset(m, 0, sizeof *m);
    m->pair = pair;
    m->vocabulary = vocabulary;
    random_fill(&source, w->E, vocabulary * C, sigma);
    random_fill(&source, w->P, TOKENS * C, sigma);
    random_fill(&source, w->U, C * vocabulary, sigma);
    random_fill(&source, (float *)w->layer, sizeof w->layer / (sizeof(float)),
                sigma);
}

/* --- Attention ------------------------------------------------------------- */

static array of(float *all, size_t nth, size_t cols)
{
    return (array){
        matrix_of(all ? all + nth * TOKENS * cols : NULL, TOKENS, cols), FP32};
}

typedef struct {
    model *m;
    layer_state *l;
    bool back;
} heads_job;

/* Token i sees itself and what came before. */
static gradients head_of(const heads_job *job, size_t nth)
{
    const size_t d = C / HEADS;
    model *m = job->m;
    layer_state *l = job->l;
    bool P = m->pair->keeps == KEEPS_P, ml = m->pair->keeps == KEEPS_M_L;

    return (gradients){
        .h = {.Nq = TOKENS,
              .Nk = TOKENS,
              .d = d,
              .dv = d,
              .Q = of(l->Q, nth, d),
              .K = of(l->K, nth, d),
              .V = of(l->V, nth, d),
              .O = of(l->O, nth, d),
              .L = of(l->L, nth, 1),
              .scale = 1 / sqrtf((float)d),
              .causal = true,
              .Br = 32,
              .Bc = 32,
              .kept = {.P = of(P ? l->P : NULL, nth, TOKENS),
                       .m = of(ml ? l->m : NULL, nth, 1),
                       .l = of(ml ? l->l : NULL, nth, 1)}},
        .dO = of(m->dO, nth, d),
        .dQ = of(m->dQ, nth, d),
        .dK = of(m->dK, nth, d),
        .dV = of(m->dV, nth, d),
    };
}

static int run_head(const void *given, size_t nth, memory *mem)
{
    const heads_job *job = given;
    gradients g = head_of(job, nth);

    return job->back ? job->m->pair->backward(&g, mem)
                     : job->m->pair->forward(&g.h, mem);
}

static int run_heads(model *m, layer_state *l, bool back)
{
    const heads_job job = {m, l, back};
    memory mem;
    int error;

    memory_init(&mem, MEMORY_UNBOUNDED);
    error = run_on_threads(run_head, &job, SEQUENCES * HEADS, &mem);
    if (error)
        fprintf(stderr, "%s: %s\n", m->pair->name, mem.message);
    memory_reset(&mem);
    return error;
}

/* --- Forward --------------------------------------------------------------- */

static int layer_forward(model *m, size_t k, float *next)
{
    layer_state *l = &m->layer[k];
    float *const heads[] = {l->Q, l->K, l->V};

    norm(l->norm, l->x);
    memset(l->QKV, 0, sizeof l->QKV);
    multiply(l->QKV, l->norm, m->weight.layer[k].QKV, C, 3 * C);
    for (size_t n = 0; n < 3; n++)
        turn_heads(l->QKV, 3 * C, n * C, heads[n], true);
    if (run_heads(m, l, false))
        return 1;
    turn_heads(l->mixed, C, 0, l->O, false);
    memcpy(l->x2, l->x, sizeof l->x);
    multiply(l->x2, l->mixed, m->weight.layer[k].Wo, C, C);

    norm(l->norm2, l->x2);
    memset(l->hidden, 0, sizeof l->hidden);
    multiply(l->hidden, l->norm2, m->weight.layer[k].W1, C, 4 * C);
    for (size_t e = 0; e < 4 * ALL; e++)
        l->hidden[e] = fmaxf(l->hidden[e], 0);
    memcpy(next, l->x2, sizeof l->x2);
    multiply(next, l->hidden, m->weight.layer[k].W2, 4 * C, C);
    return 0;
}

int model_forward(model *m, const unsigned char *tokens)
{
    float *x = m->layer[0].x;

    for (size_t i = 0; i < BATCH; i++)
        for (size_t c = 0; c < C; c++)
            x[i * C + c] = m->weight.E[tokens[i] * C + c] +
                           m->weight.P[i % TOKENS * C + c];
    for (size_t k = 0; k < LAYERS; k++)
        if (layer_forward(m, k, k + 1 < LAYERS ? m->layer[k + 1].x : m->x))
            return 1;
    norm(m->norm, m->x);
    memset(m->logits, 0, sizeof m->logits);
    multiply(m->logits, m->norm, m->weight.U, C, m->vocabulary);
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
    size_t V = m->vocabulary;
    double sum = 0;

    for (size_t i = 0; i < BATCH; i++)
        sum +=
            log_sum(m->logits + i * V, V) - (double)m->logits[i * V + next[i]];
    return sum / (double)BATCH;
}

/* --- Backward -------------------------------------------------------------- */

/* m->dx is the gradient of what the layer gave; then, of what it was given. */
static int layer_backward(model *m, size_t k)
{
    layer_state *l = &m->layer[k];
    float *const heads[] = {m->dQ, m->dK, m->dV};

    memset(m->dwide, 0, sizeof m->dwide);
    multiply_back(m->dwide, m->gradient.layer[k].W2, m->dx, l->hidden,
                  m->weight.layer[k].W2, 4 * C, C);
    for (size_t e = 0; e < 4 * ALL; e++)
        if (l->hidden[e] == 0) /* relu was flat there */
            m->dwide[e] = 0;
    memset(m->dy, 0, sizeof m->dy);
    multiply_back(m->dy, m->gradient.layer[k].W1, m->dwide, l->norm2,
                  m->weight.layer[k].W1, C, 4 * C);
    norm_back(m->dx, m->dy, l->norm2, l->x2);

    memset(m->dy, 0, sizeof m->dy);
    multiply_back(m->dy, m->gradient.layer[k].Wo, m->dx, l->mixed,
                  m->weight.layer[k].Wo, C, C);
    turn_heads(m->dy, C, 0, m->dO, true);
    if (run_heads(m, l, true))
        return 1;
    for (size_t n = 0; n < 3; n++)
        turn_heads(m->dwide, 3 * C, n * C, heads[n], false);
    memset(m->dy, 0, sizeof m->dy);
    multiply_back(m->dy, m->gradient.layer[k].QKV, m->dwide, l->norm,
                  m->weight.layer[k].QKV, C, 3 * C);
    norm_back(m->dx, m->dy, l->norm, l->x);
    return 0;
}

int model_backward(model *m, const unsigned char *tokens,
                   const unsigned char *next)
{
    size_t V = m->vocabulary;
    float *dlogits = m->logits; /* in their place */

    memset(&m->gradient, 0, sizeof m->gradient);
    for (size_t i = 0; i < BATCH; i++) { /* softmax - 1 at the right token */
        double L = log_sum(m->logits + i * V, V);

        for (size_t v = 0; v < V; v++)
            dlogits[i * V + v] =
                (float)((exp((double)m->logits[i * V + v] - L) -
                         (v == next[i])) /
                        (double)BATCH);
    }
    memset(m->dy, 0, sizeof m->dy);
    memset(m->dx, 0, sizeof m->dx);
    multiply_back(m->dy, m->gradient.U, dlogits, m->norm, m->weight.U, C, V);
    norm_back(m->dx, m->dy, m->norm, m->x);
    for (size_t k = LAYERS; k-- > 0;)
        if (layer_backward(m, k))
            return 1;
    for (size_t i = 0; i < BATCH; i++) {
        axpy(m->gradient.E + tokens[i] * C, 1, m->dx + i * C, C);
        axpy(m->gradient.P + i % TOKENS * C, 1, m->dx + i * C, C);
    }
    return 0;
}
