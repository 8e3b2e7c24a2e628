/*
 * Some rows of a rung's outputs beside float64's (exact.h).
 */
#include "07_cuda/bench/exact.h"

#include <cuda_runtime.h>
#include <math.h>

#include <algorithm>

/* n rows of the device's, from that one on, on the host. */
struct host_rows {
    precision type;
    int D;
    std::vector<uint16_t> halves;
    std::vector<float> floats;

    host_rows(const void *from, precision type, int D, int first, int n)
        : type(type), D(D), halves(type == FP32 ? 0 : (size_t)n * D),
          floats(type == FP32 ? (size_t)n * D : 0)
    {
        size_t size = type == FP32 ? 4 : 2, bytes = size * n * D;
        void *to = type == FP32 ? (void *)floats.data() : halves.data();

        if (cudaMemcpy(to, (const char *)from + first * size * D, bytes,
                       cudaMemcpyDeviceToHost))
            std::fill_n((char *)to, bytes, (char)0xff); /* NaN */
    }
    double at(int row, int c) const
    {
        size_t k = (size_t)row * D + c;

        return type == FP32   ? floats[k]
               : type == BF16 ? from_bf16(halves[k])
                              : from_fp16(halves[k]);
    }
};

static double dot(const host_rows &a, int i, const host_rows &b, int j)
{
    double sum = 0;

    for (int c = 0; c < a.D; c++)
        sum += a.at(i, c) * b.at(j, c);
    return sum;
}

static void add(std::vector<double> *to, double weight, const host_rows &a,
                int row)
{
    for (int c = 0; c < a.D; c++)
        (*to)[c] += weight * a.at(row, c);
}

static int keys_seen(const rung_problem &p, int i)
{
    return std::max(0, std::min(p.Nk, i + p.offset + 1));
}

static exact_row row_of(void *array, const rung_problem &p, int row)
{
    size_t size = p.type == FP32 ? 4 : 2;

    return {(char *)array + size * row * p.D, p.type, std::vector<double>(p.D)};
}

std::vector<exact_row> exact_outputs(const rung_problem &p)
{
    std::vector<exact_row> all;

    for (int h = 0; h < p.heads; h += std::max(1, p.heads - 1)) {
        host_rows Q(p.Q, p.type, p.D, h * p.Nq, p.Nq);
        host_rows K(p.K, p.type, p.D, h / p.group * p.Nk, p.Nk);
        host_rows V(p.V, p.type, p.D, h / p.group * p.Nk, p.Nk);

        for (int i : {p.Nq / 3, p.Nq - 1}) {
            exact_row O = row_of(p.O, p, h * p.Nq + i);
            double m = -INFINITY, l = 0;

            for (int j = 0; j < keys_seen(p, i); j++)
                m = std::max(m, p.scale * dot(Q, i, K, j));
            for (int j = 0; j < keys_seen(p, i); j++) {
                double e = exp(p.scale * dot(Q, i, K, j) - m);

                l += e;
                add(&O.want, e, V, j);
            }
            for (double &o : O.want)
                o /= l;
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
        auto P = [&](int i, int j) {
            return exp(f.scale * dot(Q, i, K, j) - L.at(i, 0));
        };
        auto dS = [&](int i, int j) {
            return P(i, j) * (dot(dO, i, V, j) - dot(dO, i, O, i));
        };

        for (int i : {f.Nq / 3, f.Nq - 1}) {
            exact_row dQ = row_of(p.dQ, f, h * f.Nq + i);

            for (int j = 0; j < keys_seen(f, i); j++)
                add(&dQ.want, f.scale * dS(i, j), K, j);
            all.push_back(dQ);
        }
        for (int j : {0, f.Nk / 3}) {
            exact_row dK = row_of(p.dK, f, h * f.Nk + j);
            exact_row dV = row_of(p.dV, f, h * f.Nk + j);

            for (int i = 0; i < f.Nq; i++)
                if (j < keys_seen(f, i)) {
                    add(&dK.want, f.scale * dS(i, j), Q, i);
                    add(&dV.want, P(i, j), dO, i);
                }
            all.push_back(dK);
            all.push_back(dV);
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
            off += pow(got.at(0, c) - r.want[c], 2);
            norm += r.want[c] * r.want[c];
        }
        if (!isnan(worst) && !(sqrt(off / norm) <= worst))
            worst = sqrt(off / norm);
        cudaMemset(r.at, 0xff, (r.type == FP32 ? 4 : 2) * D);
    }
    return worst;
}
