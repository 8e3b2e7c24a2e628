/*
 * Judging a rung of the way back (gradient_bounds.h).
 */
#include "07_cuda/tests/gradient_bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

static void round_rows(matrix a)
{
    for (size_t i = 0; i < a.rows; i++)
        for (size_t c = 0; c < a.cols; c++)
            row(a, i)[c] = from_bf16(to_bf16(row(a, i)[c]));
}

/* Q, K, V and dO, before anything is computed from them. */
static void round_to_bf16(gradient_case *c)
{
    const head *h = &c->forward.h;

    round_rows(h->Q.hbm);
    round_rows(h->K.hbm);
    round_rows(h->V.hbm);
    round_rows(c->g.dO.hbm);
}

static double product(const float *a, const float *b, size_t n, bool of_sizes)
{
    double sum = 0;

    for (size_t c = 0; c < n; c++) {
        double x = (double)a[c] * (double)b[c];

        sum += of_sizes ? fabs(x) : x;
    }
    return sum;
}

/* Adds what roundings inside may cost; the expected gradients must be known. */
static void add_bounds(const gradient_case *c, double *dQ, double *dK,
                       double *dV)
{
    const head *h = &c->forward.h;
    const double unit = 0x1p-8, scale = (double)h->scale;

    for (size_t i = 0; i < h->Nq; i++) {
        const float *dO = row(c->g.dO.hbm, i), *O = row(h->O.hbm, i);
        double D = product(dO, O, h->dv, false);
        double D_off = unit * product(dO, O, h->dv, true);

        for (size_t j = 0; j < keys_seen(h, i); j++) {
            double s = scale *
                       product(row(h->Q.hbm, i), row(h->K.hbm, j), h->d, false);
            double p = exp(s - (double)*row(h->L.hbm, i));
            double dP = product(dO, row(h->V.hbm, j), h->dv, false);
            double off = p * (unit * fabs(dP - D) + D_off) * fabs(scale);

            for (size_t e = 0; e < h->dv; e++)
                dV[j * h->dv + e] += unit * p * fabs((double)dO[e]);
            for (size_t e = 0; e < h->d; e++) {
                dQ[i * h->d + e] += off * fabs((double)row(h->K.hbm, j)[e]);
                dK[j * h->d + e] += off * fabs((double)row(h->Q.hbm, i)[e]);
            }
        }
    }
}

/* Each element is within its bound, the rounding of the result, and what fp32
 * may cost; without bounds, what fp32 may cost. */
static void check_within(const backward_step *step, const head *h,
                         const char *what, matrix got, const double *want,
                         const double *bound, double fp32)
{
    for (size_t i = 0; i < got.rows; i++)
        for (size_t c = 0; c < got.cols; c++) {
            size_t e = i * got.cols + c;
            double x = (double)row(got, i)[c];
            double room = bound ? bound[e] + 0x1p-8 * fabs(want[e]) : 0;

            if (!is_close_or_nan(x, want[e], 1.01 * room + fp32))
                fail_msg("%s: %s[%zu][%zu]: want %.9g, got %.9g, tolerance "
                         "%.3g (Nq %zu, Nk %zu, d %zu, dv %zu, scale %g, "
                         "causal %d, offset %ld)",
                         step->name, what, i, c, want[e], x, 1.01 * room + fp32,
                         h->Nq, h->Nk, h->d, h->dv, (double)h->scale, h->causal,
                         h->offset);
        }
}

/* Of K and V, what it has from the head before it in its group: they are the
 * same, and to their gradients, and to what those may be off, it adds. */
static void share(gradient_case *c, const gradient_case *before,
                  double *const off[3], double *const off_before[3])
{
    const head *h = &c->forward.h;
    size_t of_K = h->Nk * h->d, of_V = h->Nk * h->dv;

    memcpy(h->K.hbm.data, before->forward.h.K.hbm.data, of_K * sizeof(float));
    memcpy(h->V.hbm.data, before->forward.h.V.hbm.data, of_V * sizeof(float));
    memcpy(c->dK, before->dK, of_K * sizeof(double));
    memcpy(c->dV, before->dV, of_V * sizeof(double));
    memcpy(off[1], off_before[1], of_K * sizeof(double));
    memcpy(off[2], off_before[2], of_V * sizeof(double));
    c->g.add = true;
}

/* What is right, and in off how nearly, in 16 bits. */
static void expect(gradient_case *c, const gradient_case *before, bool fp32,
                   double *off[3], double *const off_before[3])
{
    const head *h = &c->forward.h;
    const size_t size[] = {h->Nq * h->d, h->Nk * h->d, h->Nk * h->dv};

    for (size_t a = 0; a < 3; a++) {
        off[a] = calloc(size[a] + 1, sizeof(double));
        assert_non_null(off[a]);
    }
    if (!fp32)
        round_to_bf16(c);
    if (before)
        share(c, before, off, off_before);
    gradient_expect(c);
    if (!fp32)
        add_bounds(c, off[0], off[1], off[2]);
}

void check_heads(const backward_step *step, bool fp32, gradient_case c[],
                 size_t n, size_t group)
{
    double *off[MOST_HEADS][3];
    gradients heads[MOST_HEADS];
    memory mem;

    for (size_t k = 0; k < n; k++) {
        bool adds = k % group > 0;
        size_t first = k / group * group;

        expect(&c[k], adds ? &c[k - 1] : NULL, fp32, off[k],
               adds ? off[k - 1] : NULL);
        fill(c[k].g.dQ.hbm, NAN);
        fill(c[k].g.dK.hbm, NAN);
        fill(c[k].g.dV.hbm, NAN);
        heads[k] = c[k].g;
        heads[k].dK = c[first].g.dK;
        heads[k].dV = c[first].g.dV;
    }
    memory_init(&mem, MEMORY_UNBOUNDED);
    if (step->run_heads(step, heads, n, &mem))
        fail_msg("%s: refused: %s", step->name, mem.message);
    for (size_t k = 0; k < n; k++) {
        const gradients *g = &heads[k];
        double all = (double)group;

        check_within(step, &g->h, "dQ", g->dQ.hbm, c[k].dQ,
                     fp32 ? NULL : off[k][0], c[k].dQ_tolerance);
        if (k % group < group - 1)
            continue; /* others have added to dK and dV */
        check_within(step, &g->h, "dK", g->dK.hbm, c[k].dK,
                     fp32 ? NULL : off[k][1], all * c[k].dK_tolerance);
        check_within(step, &g->h, "dV", g->dV.hbm, c[k].dV,
                     fp32 ? NULL : off[k][2], all * c[k].dV_tolerance);
    }
    for (size_t k = 0; k < n; k++)
        for (size_t a = 0; a < 3; a++)
            free(off[k][a]);
}
