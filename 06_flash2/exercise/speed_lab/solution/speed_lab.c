/*
 * Each scalar becomes a row of 64 numbers, one per query. The steps of a loop
 * over queries are independent.
 */
#include "speed_lab.h"

#include <math.h>
#include <string.h>

enum { KEYS_HERE = 64, TOGETHER = 4 };
typedef float lane[QUERIES_HERE];

/* Computes out[r] += sum_k A[r * row + k * col] B[k] for all rows r. Each
 * group of four rows shares every number that is loaded from B. */
static void add_product(size_t rows, lane *restrict out, const float *A,
                        size_t row, size_t col, lane *restrict B, size_t n)
{
    size_t r = 0;

    for (; r + TOGETHER <= rows; r += TOGETHER) {
        lane sum[TOGETHER] = {{0}};

        for (size_t k = 0; k < n; k++)
            for (size_t i = 0; i < QUERIES_HERE; i++)
                for (size_t u = 0; u < TOGETHER; u++)
                    sum[u][i] += A[(r + u) * row + k * col] * B[k][i];
        for (size_t u = 0; u < TOGETHER; u++)
            for (size_t i = 0; i < QUERIES_HERE; i++)
                out[r + u][i] += sum[u][i];
    }
    for (; r < rows; r++)
        for (size_t k = 0; k < n; k++)
            for (size_t i = 0; i < QUERIES_HERE; i++)
                out[r][i] += A[r * row + k * col] * B[k][i];
}

void speed_lab(const float *Q, const float *K, const float *V, float *O,
               size_t n, size_t d, float scale)
{
    static lane q[MOST_D], o[MOST_D], s[KEYS_HERE];
    lane m, l = {0}, alpha;

    memset(o, 0, sizeof o);
    for (size_t i = 0; i < QUERIES_HERE; i++) {
        m[i] = -INFINITY;
        for (size_t c = 0; c < d; c++)
            q[c][i] = Q[i * d + c] * scale;
    }
    for (size_t j0 = 0; j0 < n; j0 += KEYS_HERE) {
        size_t keys = n - j0 < KEYS_HERE ? n - j0 : KEYS_HERE;

        memset(s, 0, sizeof s);
        add_product(keys, s, K + j0 * d, d, 1, q, d);
        for (size_t i = 0; i < QUERIES_HERE; i++)
            alpha[i] = m[i];
        for (size_t j = 0; j < keys; j++)
            for (size_t i = 0; i < QUERIES_HERE; i++)
                m[i] = s[j][i] > m[i] ? s[j][i] : m[i];
        for (size_t i = 0; i < QUERIES_HERE; i++) {
            alpha[i] = expf(alpha[i] - m[i]);
            l[i] *= alpha[i];
        }
        for (size_t c = 0; c < d; c++)
            for (size_t i = 0; i < QUERIES_HERE; i++)
                o[c][i] *= alpha[i];
        for (size_t j = 0; j < keys; j++)
            for (size_t i = 0; i < QUERIES_HERE; i++) {
                s[j][i] = expf(s[j][i] - m[i]);
                l[i] += s[j][i];
            }
        add_product(d, o, V + j0 * d, 1, d, s, keys);
    }
    for (size_t i = 0; i < QUERIES_HERE; i++)
        for (size_t c = 0; c < d; c++)
            O[i * d + c] = o[c][i] / l[i];
}
