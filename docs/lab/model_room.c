/*
 * Room for the model, cut from one array (model.h).
 */
#include "docs/lab/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/problem/random.h"

enum { LINE = 16 }; /* floats of a cache line, of which no row crosses two */

/* --- Room ------------------------------------------------------------------ */

/* The next n floats of what is left; with none left it only counts. */
static float *take(float **from, size_t *used, size_t n)
{
    float *here = *from ? *from + *used : NULL;

    *used += n;
    return here;
}

/* Cuts all that the model needs from one array; returns its length. */
static size_t cut(model *m, float *from)
{
    const model_sizes *s = &m->s;
    size_t used = 0, n = s->B * s->T, C = s->C, rows = s->B * s->H * s->T;
    bool P = m->pair->keeps == KEEPS_P, ml = m->pair->keeps == KEEPS_M_L;

    m->weight = take(&from, &used, m->parameters);
    m->gradient = take(&from, &used, m->parameters);
    for (size_t k = 0; k < s->layers; k++) {
        layer_state *l = &m->layer[k];

        l->x = take(&from, &used, n * C);
        l->norm = take(&from, &used, n * C);
        l->QKV = take(&from, &used, 3 * n * C);
        l->Q = take(&from, &used, n * C);
        l->K = take(&from, &used, n * C);
        l->V = take(&from, &used, n * C);
        l->O = take(&from, &used, n * C);
        l->L = take(&from, &used, rows);
        l->m = ml ? take(&from, &used, rows) : NULL;
        l->l = ml ? take(&from, &used, rows) : NULL;
        l->P = P ? take(&from, &used, rows * s->T) : NULL;
        l->mixed = take(&from, &used, n * C);
        l->x2 = take(&from, &used, n * C);
        l->norm2 = take(&from, &used, n * C);
        l->hidden = take(&from, &used, 4 * n * C);
    }
    m->x = take(&from, &used, n * C);
    m->norm = take(&from, &used, n * C);
    m->logits = take(&from, &used, n * s->vocabulary);
    m->dx = take(&from, &used, n * C);
    m->dy = take(&from, &used, n * C);
    m->dwide = take(&from, &used, 4 * n * C);
    m->dheads = take(&from, &used, 4 * n * C);
    return used;
}

int model_new(model *m, model_sizes s, const attention_pair *pair, size_t seed)
{
    random_source source = random_seed(seed);

    *m = (model){.s = s, .pair = pair};
    m->parameters = matrix_at(&m->s, s.layers, QKV_OF);
    m->layer = calloc(s.layers, sizeof *m->layer);
    if (m->layer)
        m->all = calloc(cut(m, NULL) + LINE, sizeof *m->all);
    if (!m->all) {
        fprintf(stderr, "train: out of memory for a model of %zu layers\n",
                s.layers);
        model_free(m);
        return 1;
    }
    cut(m, m->all + -((uintptr_t)m->all / sizeof *m->all) % LINE);
    random_fill(&source, m->weight, m->parameters, 1 / sqrt((double)s.C));
    return 0;
}

void model_free(model *m)
{
    free(m->layer);
    free(m->all);
    *m = (model){.parameters = 0};
}
