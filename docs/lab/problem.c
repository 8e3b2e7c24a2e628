/*
 * Building the precision lab's problems (measure.h).
 */
#include "docs/lab/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/judge/reference_attention.h"

void lab_problem_free(lab_problem *p)
{
    free(p->data);
    free(p->reference);
}

static float *cut(float **at, size_t n)
{
    float *here = *at;

    *at += n;
    return here;
}

static array cut_array(float **at, size_t rows, size_t cols, precision type)
{
    return (array){.hbm = matrix_of(cut(at, rows * cols), rows, cols),
                   .type = type};
}

int lab_problem_new(lab_problem *p, const lab_case *c)
{
    size_t size = (2 * c->Nq + 2 * c->Nk) * c->d + c->Nq + 2 * c->Nk;
    float *at = malloc(size * sizeof *at);
    double *reference = malloc((c->Nq * c->d + c->Nk) * sizeof *reference);

    *p = (lab_problem){.kind = c, .data = at, .reference = reference};
    if (!at || !reference) {
        fprintf(stderr, "lab: out of memory for %zu keys\n", c->Nk);
        return 1;
    }
    p->want = reference + c->Nq * c->d;
    p->h = (head){
        .Nq = c->Nq,
        .Nk = c->Nk,
        .d = c->d,
        .dv = c->d,
        .Q = cut_array(&at, c->Nq, c->d, c->inputs),
        .K = cut_array(&at, c->Nk, c->d, c->inputs),
        .V = cut_array(&at, c->Nk, c->d, c->inputs),
        .O = cut_array(&at, c->Nq, c->d, c->O),
        .L = cut_array(&at, c->Nq, 1, FP32),
        .scale = c->unscaled ? 1 : 1 / sqrtf((float)c->d),
        .tile.Br = 16,
        .tile.Bc = c->Bc,
        .m.type = c->stored,
        .l.type = c->stored,
        .P.type = c->stored,
        .P_type = c->P,
    };
    p->x = cut(&at, c->Nk);
    p->y = cut(&at, c->Nk);
    return 0;
}

typedef struct {
    double score;
    size_t key;
} scored_key;

static int rising(const void *a, const void *b)
{
    double x = ((const scored_key *)a)->score;
    double y = ((const scored_key *)b)->score;

    return (x > y) - (x < y);
}

/* Rearranges K so that query 0 meets its keys in that order. V is random, so
 * it need not move along. */
static int sort_keys(const lab_problem *p)
{
    const head *h = &p->h;
    double sign = p->kind->order == RISING ? 1 : -1;
    scored_key *keys = malloc(h->Nk * sizeof *keys);
    size_t size = h->Nk * h->d * sizeof(float);
    float *K = malloc(size);
    int failed = !keys || !K;

    if (!failed) {
        for (size_t j = 0; j < h->Nk; j++)
            keys[j] = (scored_key){sign * reference_score(h, 0, j), j};
        qsort(keys, h->Nk, sizeof *keys, rising);
        memcpy(K, h->K.hbm.data, size);
        for (size_t j = 0; j < h->Nk; j++)
            memcpy(row(h->K.hbm, j), K + keys[j].key * h->d, h->d * sizeof *K);
    }
    free(keys);
    free(K);
    return failed;
}

int lab_problem_fill(lab_problem *p, random_source *r, size_t nth)
{
    const lab_case *c = p->kind;
    head *h = &p->h;
    size_t Q = h->Nq * h->d, KV = h->Nk * h->d;
    int failed = 0;

    if (c->real) {
        head real = head_at(&c->real->layer, nth);

        memcpy(h->Q.hbm.data, real.Q.hbm.data, Q * sizeof(float));
        memcpy(h->K.hbm.data, real.K.hbm.data, KV * sizeof(float));
        memcpy(h->V.hbm.data, real.V.hbm.data, KV * sizeof(float));
    } else {
        random_fill(r, h->Q.hbm.data, Q,
                    c->sigma / (c->unscaled ? sqrt((double)c->d) : 1));
        random_fill(r, h->K.hbm.data, 2 * KV, 1); /* V comes behind it */
    }
    if (c->before)
        failed |= reference_attention(h, p->reference, NULL);
    for (float *x = h->Q.hbm.data; x < h->O.hbm.data; x++)
        *x = round_to(c->inputs, *x);
    if (c->order != ANY_ORDER)
        failed |= sort_keys(p);
    if (!c->before)
        failed |= reference_attention(h, p->reference, NULL);
    if (failed)
        fprintf(stderr, "lab: out of memory for %zu keys\n", h->Nk);
    return failed;
}
