/*
 * The bounds of a rung of the way back in 16 bits (gradient_bounds.h).
 */
#include "07_cuda/tests/gradient_bounds.h"

#include <math.h>
#include <stdlib.h>

#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

static void round_rows(matrix a)
{
    for (size_t i = 0; i < a.rows; i++)
        for (size_t c = 0; c < a.cols; c++)
            row(a, i)[c] = from_bf16(to_bf16(row(a, i)[c]));
}

void round_to_bf16(gradient_case *c)
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

void add_bounds(const gradient_case *c, double *dQ, double *dK, double *dV)
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

void check_within(const char *what, matrix got, const double *want,
                  const double *bound, double fp32)
{
    for (size_t i = 0; i < got.rows; i++)
        for (size_t c = 0; c < got.cols; c++) {
            size_t e = i * got.cols + c;
            double room = bound ? bound[e] + 0x1p-8 * fabs(want[e]) : 0;

            assert_close_at((double)row(got, i)[c], want[e], 1.01 * room + fp32,
                            what, __FILE__, __LINE__);
        }
}

void check_16_bits(const attention_subject *s, gradient_case *c)
{
    const head *h = &c->forward.h;
    double *dQ = calloc(h->Nq * h->d + 1, sizeof *dQ);
    double *dK = calloc(h->Nk * h->d + 1, sizeof *dK);
    double *dV = calloc(h->Nk * h->dv + 1, sizeof *dV);

    assert_true(dQ && dK && dV);
    round_to_bf16(c);
    gradient_expect(c);
    add_bounds(c, dQ, dK, dV);
    gradient_run(c, s);
    check_within("dQ", c->g.dQ.hbm, c->dQ, dQ, c->dQ_tolerance);
    check_within("dK", c->g.dK.hbm, c->dK, dK, c->dK_tolerance);
    check_within("dV", c->g.dV.hbm, c->dV, dV, c->dV_tolerance);
    free(dQ);
    free(dK);
    free(dV);
}
