/* Compares some rows of a rung's outputs with float64 (exact.h). */
#include "07_cuda/bench/exact.h"

#include <cuda_runtime.h>
#include <math.h>

#include <algorithm>

extern "C" {
#include "common/judge/reference_attention.h"
}

/* A copy of n rows of a device array, as floats. After an error all are NaN. */
struct host_rows {
    int D;
    std::vector<float> x;

    host_rows(const void *from, precision type, int D, int first, int n)
        : D(D), x((size_t)n * D)
    {
        size_t bytes = precision_bytes(type) * D;
        std::vector<uint16_t> narrow(x.size());
        void *to = type == FP32 ? (void *)x.data() : narrow.data();

        if (cudaMemcpy(to, (const char *)from + first * bytes, n * bytes,
                       cudaMemcpyDeviceToHost))
            std::fill_n((char *)to, n * bytes, (char)0xff);
        for (size_t k = 0; k < x.size() && type == BF16; k++)
            x[k] = from_bf16(narrow[k]);
    }
    const float *operator[](int row) const
    {
        return &x[(size_t)row * D];
    }
};

static double dot(const host_rows &a, int i, const host_rows &b, int j)
{
    double sum = 0;

    for (int c = 0; c < a.D; c++)
        sum += (double)a[i][c] * b[j][c];
    return sum;
}

static void add(std::vector<double> *to, double weight, const float *row)
{
    for (double &x : *to)
        x += weight * *row++;
}

static head head_of(const rung_problem &p, host_rows &Q, host_rows &K)
{
    head h = {};

    h.Nk = p.Nk;
    h.d = p.D;
    h.Q.hbm = matrix_of(Q.x.data(), p.Nq, p.D);
    h.K.hbm = matrix_of(K.x.data(), p.Nk, p.D);
    h.scale = p.scale;
    h.rule.causal = true;
    h.rule.offset = p.offset;
    return h;
}

static exact_row row_of(void *array, const rung_problem &p, int row)
{
    return {(char *)array + precision_bytes(p.type) * row * p.D, p.type,
            std::vector<double>(p.D)};
}

std::vector<exact_row> exact_outputs(const rung_problem &p)
{
    std::vector<exact_row> all;
    std::vector<double> P(p.Nk);

    for (int h = 0; h < p.heads; h += std::max(1, p.heads - 1)) {
        host_rows Q(p.Q, p.type, p.D, h * p.Nq, p.Nq);
        host_rows K(p.K, p.type, p.D, h / p.group * p.Nk, p.Nk);
        host_rows V(p.V, p.type, p.D, h / p.group * p.Nk, p.Nk);
        head one = head_of(p, Q, K);

        for (int i : {p.Nq / 3, p.Nq - 1}) {
            exact_row O = row_of(p.O, p, h * p.Nq + i);
            double m, l;

            reference_weights(&one, i, P.data(), &m, &l);
            for (int j = 0; j < p.Nk; j++)
                add(&O.want, P[j], V[j]);
            all.push_back(O);
        }
    }
    return all;
}

std::vector<exact_row> exact_gradients(const gradient_problem &p)
{
    const rung_problem &f = p.forward;
    std::vector<exact_row> all;

    for (int h = 0; h < f.heads; h += std::max(1, f.heads - 1)) {
        host_rows Q(f.Q, f.type, f.D, h * f.Nq, f.Nq);
        host_rows O(f.O, f.type, f.D, h * f.Nq, f.Nq);
        host_rows dO(p.dO, f.type, f.D, h * f.Nq, f.Nq);
        host_rows K(f.K, f.type, f.D, h * f.Nk, f.Nk);
        host_rows V(f.V, f.type, f.D, h * f.Nk, f.Nk);
        host_rows L(f.L, FP32, 1, h * f.Nq, f.Nq);
        head one = head_of(f, Q, K);
        auto P = [&](int i, int j) {
            return exp(reference_score(&one, i, j) - *L[i]);
        };
        auto dS = [&](int i, int j) {
            return P(i, j) * (dot(dO, i, V, j) - dot(dO, i, O, i));
        };

        for (int i : {f.Nq / 3, f.Nq - 1}) {
            exact_row dQ = row_of(p.dQ, f, h * f.Nq + i);

            for (int j = 0; j < f.Nk; j++)
                add(&dQ.want, f.scale * dS(i, j), K[j]);
            all.push_back(dQ);
        }
        for (int j : {0, f.Nk / 3}) {
            exact_row dK = row_of(p.dK, f, h * f.Nk + j);
            exact_row dV = row_of(p.dV, f, h * f.Nk + j);

            for (int i = 0; i < f.Nq; i++) {
                add(&dK.want, f.scale * dS(i, j), Q[i]);
                add(&dV.want, P(i, j), dO[i]);
            }
            all.insert(all.end(), {dK, dV});
        }
    }
    return all;
}

double worst_error(const std::vector<exact_row> &rows)
{
    double worst = 0;

    for (const exact_row &r : rows) {
        int D = (int)r.want.size();
        host_rows got(r.at, r.type, D, 0, 1);
        double off = 0, norm = 0;

        for (int c = 0; c < D; c++) {
            off += pow(got.x[c] - r.want[c], 2);
            norm += pow(r.want[c], 2);
        }
        if (!isnan(worst) && !(sqrt(off / norm) <= worst))
            worst = sqrt(off / norm);
        if (cudaMemset(r.at, 0xff, precision_bytes(r.type) * D))
            worst = NAN;
    }
    return worst;
}
