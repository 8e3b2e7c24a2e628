#include "tools/flash/attention_loss.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/data/random.h"
#include "common/judge/reference_attention.h"

typedef struct {
    head h;
    const loss_case *kind;
    float *data;       /* Q, K, V, O, L, one after another */
    double *reference; /* O in float64 */
} loss_problem;

/* --- Problems ------------------------------------------------------------- */

static void problem_free(loss_problem *p)
{
    free(p->data);
    free(p->reference);
}

static array cut_array(float **at, size_t rows, size_t cols, precision type)
{
    float *here = *at;

    *at += rows * cols;
    return (array){.hbm = matrix_of(here, rows, cols), .type = type};
}

/* Returns 0, or 1 after one line on stderr. The caller must call problem_free
 * also after an error. */
static int problem_new(loss_problem *p, const loss_case *c)
{
    size_t size = (2 * c->Nq + 2 * c->Nk) * c->d + c->Nq;
    float *at = malloc(size * sizeof *at);
    double *reference = malloc(c->Nq * c->d * sizeof *reference);

    *p = (loss_problem){.kind = c, .data = at, .reference = reference};
    if (!at || !reference) {
        fprintf(stderr, "flash: no memory for %zu keys\n", c->Nk);
        return 1;
    }
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

/* Reorders the rows of K so that the scores of query 0 rise or fall. V is not
 * reordered. Returns 0, or 1 if malloc fails. */
static int sort_keys(const loss_problem *p)
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

/* Fills Q, K and V from r, or from head nth of the real layer. Rounds them,
 * sorts the keys if the case has an order, and computes the reference O (first
 * if c->before). Returns 0, or 1 after one line on stderr. */
static int make_inputs(loss_problem *p, random_source *r, size_t nth)
{
    const loss_case *c = p->kind;
    head *h = &p->h;
    size_t Q = h->Nq * h->d, KV = h->Nk * h->d;
    int failed = 0;

    if (c->real) {
        head real = head_at(c->real, nth);

        memcpy(h->Q.hbm.data, real.Q.hbm.data, Q * sizeof(float));
        memcpy(h->K.hbm.data, real.K.hbm.data, KV * sizeof(float));
        memcpy(h->V.hbm.data, real.V.hbm.data, KV * sizeof(float));
    } else {
        random_fill(r, h->Q.hbm.data, Q,
                    c->sigma / (c->unscaled ? sqrt((double)c->d) : 1));
        random_fill(r, h->K.hbm.data, 2 * KV, 1); /* K and V */
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
        fprintf(stderr, "flash: no memory for %zu keys\n", h->Nk);
    return failed;
}

/* --- Errors --------------------------------------------------------------- */

typedef struct {
    double square, norm, largest;
} sums;

static int run_step(const attention_step *step, const loss_problem *p,
                    sums *sum)
{
    const head *h = &p->h;
    double scale = 0;
    memory mem;
    int error;

    for (size_t e = 0; e < h->Nk * h->dv; e++)
        scale = fmax(scale, fabs((double)h->V.hbm.data[e]));
    memory_init(&mem, MEMORY_UNBOUNDED);
    error = step_run(step, h, &mem);
    if (error)
        fprintf(stderr, "%s: %zu keys: %s\n", step->name, h->Nk, mem.message);
    memory_reset(&mem);
    for (size_t e = 0; e < h->Nq * h->dv && !error; e++) {
        double want = p->reference[e];
        double off = (double)h->O.hbm.data[e] - want;

        sum->square += off * off;
        sum->norm += want * want;
        off = fabs(off) / scale;
        /* fmax would ignore a NaN */
        sum->largest = isnan(off) || off > sum->largest ? off : sum->largest;
    }
    return error;
}

int attention_loss(const loss_case *c, size_t problems,
                   const attention_step *step, step_loss *loss)
{
    random_source r = random_seed(c->seed);
    sums sum = {0};
    loss_problem p;
    int failed = problem_new(&p, c);

    for (size_t t = 0; t < problems && !failed; t++)
        failed = make_inputs(&p, &r, t) || run_step(step, &p, &sum);
    *loss = (step_loss){sqrt(sum.square / sum.norm), sum.largest};
    problem_free(&p);
    return failed;
}
