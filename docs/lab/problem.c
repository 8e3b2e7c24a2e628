/*
 * Building the precision lab's problems (problem.h).
 */
#include "docs/lab/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/judge/reference_attention.h"

void problem_free(lab_problem *p)
{
    free(p->data);
    free(p->reference);
    p->data = NULL; /* so that it may be called twice */
    p->reference = NULL;
}

static array cut(float **at, size_t rows, size_t cols, precision type)
{
    array a = {matrix_of(*at, rows, cols), type};

    *at += rows * cols;
    return a;
}

int problem_new(lab_problem *p, const lab_case *c)
{
    size_t size = (2 * c->Nq + 2 * c->Nk) * c->d + c->Nq;
    float *at = p->data = malloc(size * sizeof *p->data);

    p->kind = c;
    p->reference = malloc(c->Nq * c->d * sizeof *p->reference);
    if (!p->data || !p->reference) {
        fprintf(stderr, "lab: out of memory for %zu keys\n", c->Nk);
        problem_free(p);
        return 1;
    }
    p->h = (head){
        .Nq = c->Nq,
        .Nk = c->Nk,
        .d = c->d,
        .dv = c->d,
        .Q = cut(&at, c->Nq, c->d, c->inputs),
        .K = cut(&at, c->Nk, c->d, c->inputs),
        .V = cut(&at, c->Nk, c->d, c->inputs),
        .O = cut(&at, c->Nq, c->d, c->O),
        .L = cut(&at, c->Nq, 1, FP32),
        .scale = c->unscaled ? 1 : 1 / sqrtf((float)c->d),
        .Br = 16,
        .Bc = c->Bc,
        .stored = c->stored,
        .P = c->P,
    };
    return 0;
}

double problem_score(const lab_problem *p, size_t i, size_t j)
{
    return reference_score(&p->h, i, j);
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
            keys[j] = (scored_key){sign * problem_score(p, 0, j), j};
        qsort(keys, h->Nk, sizeof *keys, rising);
        memcpy(K, h->K.hbm.data, size);
        for (size_t j = 0; j < h->Nk; j++)
            memcpy(row(h->K.hbm, j), K + keys[j].key * h->d, h->d * sizeof *K);
    }
    free(keys);
    free(K);
    return failed;
}

static void draw(random_source *r, matrix a, double sigma)
{
    random_fill(r, a.data, a.rows * a.cols, sigma);
}

static void copy(array real, matrix a)
{
    memcpy(a.data, real.hbm.data, a.rows * a.cols * sizeof *a.data);
}

static void round_inputs(array a)
{
    for (size_t i = 0; i < a.hbm.rows * a.hbm.cols; i++)
        a.hbm.data[i] = round_to(a.type, a.hbm.data[i]);
}

int problem_fill(lab_problem *p, random_source *r, size_t nth)
{
    const lab_case *c = p->kind;
    head *h = &p->h;
    int failed = 0;

    if (c->real) {
        head real = head_at(&c->real->problem, nth);

        copy(real.Q, h->Q.hbm);
        copy(real.K, h->K.hbm);
        copy(real.V, h->V.hbm);
    } else {
        draw(r, h->Q.hbm, c->sigma / (c->unscaled ? sqrt((double)c->d) : 1));
        draw(r, h->K.hbm, 1);
        draw(r, h->V.hbm, 1);
    }
    if (c->before)
        failed |= reference_attention(h, p->reference, NULL);
    round_inputs(h->Q);
    round_inputs(h->K);
    round_inputs(h->V);
    if (c->order != ANY_ORDER)
        failed |= sort_keys(p);
    if (!c->before)
        failed |= reference_attention(h, p->reference, NULL);
    return failed;
}

double problem_spread(const layer *p, bool unscaled)
{
    double squares = 0, rows = 0;

    for (size_t nth = 0; nth < heads_of(p); nth++) {
        head h = head_at(p, nth);

        for (size_t i = 0; i < h.Nq; i++, rows++) {
            double sum = 0, square = 0, n = (double)h.Nk;

            for (size_t j = 0; j < h.Nk; j++) {
                double s = (double)(unscaled ? 1 : h.scale) *
                           (double)dot(row(h.Q.hbm, i), row(h.K.hbm, j), h.d);

                sum += s;
                square += s * s;
            }
            squares += square / n - sum / n * (sum / n);
        }
    }
    return sqrt(squares / rows);
}
