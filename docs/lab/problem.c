/*
 * Building the lab's problems and measuring a step on them (problem.h).
 */
#include "docs/lab/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/random.h"
#include "common/reference_attention.h"

typedef struct {
    head h;
    float *data;       /* Q, K, V, O, L, one after another */
    double *reference; /* O in float64 */
} lab_problem;

static void problem_free(lab_problem *p)
{
    free(p->data);
    free(p->reference);
}

static array cut(float **at, size_t rows, size_t cols, precision type)
{
    array a = {matrix_of(*at, rows, cols), type};

    *at += rows * cols;
    return a;
}

static int problem_new(lab_problem *p, const lab_case *c)
{
    size_t size = (2 * c->Nq + 2 * c->Nk) * c->d + c->Nq;
    float *at = p->data = malloc(size * sizeof *p->data);

    p->reference = malloc(c->Nq * c->d * sizeof *p->reference);
    if (!p->data || !p->reference) {
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

static void draw(random_source *r, array a, double sigma)
{
    for (size_t i = 0; i < a.hbm.rows; i++)
        for (size_t c = 0; c < a.hbm.cols; c++)
            row(a.hbm, i)[c] =
                round_to(a.type, (float)(sigma * random_normal(r)));
}

static double score(const head *h, size_t i, size_t j)
{
    double s = 0;

    for (size_t c = 0; c < h->d; c++)
        s += (double)row(h->Q.hbm, i)[c] * (double)row(h->K.hbm, j)[c];
    return s;
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
 * it need not move along. Returns 1 without memory. */
static int sort_keys(const head *h, key_order order)
{
    scored_key *keys = malloc(h->Nk * sizeof *keys);
    size_t size = h->Nk * h->d * sizeof(float);
    float *K = malloc(size);
    int failed = !keys || !K;

    if (!failed) {
        for (size_t j = 0; j < h->Nk; j++)
            keys[j] = (scored_key){
                order == RISING ? score(h, 0, j) : -score(h, 0, j), j};
        qsort(keys, h->Nk, sizeof *keys, rising);
        memcpy(K, h->K.hbm.data, size);
        for (size_t j = 0; j < h->Nk; j++)
            memcpy(row(h->K.hbm, j), K + keys[j].key * h->d, h->d * sizeof *K);
    }
    free(keys);
    free(K);
    return failed;
}

/* Key tiles after the first that raise the maximum of a row, all rows. */
static double count_rescales(const head *h)
{
    double rescales = 0;

    for (size_t i = 0; i < h->Nq; i++) {
        double m = score(h, i, 0);

        for (size_t j = 1; j < h->Nk; j++) {
            double s = score(h, i, j);

            if (s > m) {
                m = s;
                rescales += j >= h->Bc;
                /* the rest of this tile can't raise the old maximum again */
                for (; (j + 1) % h->Bc != 0 && j + 1 < h->Nk; j++)
                    m = fmax(m, score(h, i, j + 1));
            }
        }
    }
    return rescales;
}

static void add_error(const head *h, const double *reference, double *square,
                      double *norm, double *largest)
{
    double scale = 0, off = 0;

    for (size_t j = 0; j < h->Nk * h->dv; j++)
        scale = fmax(scale, fabs((double)h->V.hbm.data[j]));
    for (size_t i = 0; i < h->Nq * h->dv; i++) {
        double e = (double)h->O.hbm.data[i] - reference[i];

        *square += e * e;
        *norm += reference[i] * reference[i];
        off = isnan(e) ? e : fmax(off, fabs(e));
    }
    *largest = isnan(off) || isnan(*largest) ? (double)NAN
                                             : fmax(*largest, off / scale);
}

int lab_measure(const attention_step *step, const lab_case *c, size_t trials,
                unsigned seed, lab_error *error)
{
    random_source r = random_seed(seed);
    double square = 0, norm = 0;
    lab_problem p;
    memory mem;
    int failed = problem_new(&p, c);

    if (failed) {
        fprintf(stderr, "lab: out of memory for %zu keys\n", c->Nk);
        return 1;
    }
    *error = (lab_error){0, 0, 0};
    memory_init(&mem, MEMORY_UNBOUNDED);
    for (size_t t = 0; t < trials && !failed; t++) {
        draw(&r, p.h.Q, c->unscaled ? c->sigma / sqrt((double)c->d) : c->sigma);
        draw(&r, p.h.K, 1);
        draw(&r, p.h.V, 1);
        failed = (c->order != ANY_ORDER && sort_keys(&p.h, c->order)) ||
                 reference_attention(&p.h, p.reference, NULL) ||
                 step->run(&p.h, &mem);
        memory_reset(&mem);
        add_error(&p.h, p.reference, &square, &norm, &error->largest);
        error->rescales += count_rescales(&p.h);
    }
    error->relative = sqrt(square / norm);
    error->rescales /= (double)(trials * c->Nq);
    problem_free(&p);
    if (failed)
        fprintf(stderr, "lab: %s failed on %zu keys\n", step->name, c->Nk);
    return failed;
}
