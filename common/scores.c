/*
 * Scores and weights of a tile (scores.h).
 */
#include "common/scores.h"

static float capped(const head *h, const float *q, const float *k)
{
    float s = h->scale * dot(q, k, h->d);

    return h->softcap > 0 ? h->softcap * tanhf(s / h->softcap) : s;
}

void scores(const head *h, memory *mem, matrix S, matrix Q, matrix K, size_t i0,
            size_t j0)
{
    bool masked = h->mask.hbm.data != NULL;

    if (masked)
        load_as(mem, MASK, S, h->mask, i0, j0);

    for (size_t i = 0; i < S.rows; i++) {
        float *s = row(S, i);

        for (size_t j = 0; j < S.cols; j++) {
            float mask = masked ? s[j] : 0;

            if (!sees(h, i0 + i, j0 + j) || mask == -INFINITY)
                s[j] = -INFINITY;
            else
                s[j] = capped(h, row(Q, i), row(K, j)) +
                       alibi(h, i0 + i, j0 + j) + mask;
        }
    }
}

float score(const head *h, memory *mem, matrix q, matrix k, size_t i, size_t j)
{
    float s;

    scores(h, mem, matrix_of(&s, 1, 1), q, k, i, j);
    return s;
}

float weights(const head *h, float *s, size_t n, float m)
{
    float sum = 0;

    for (size_t j = 0; j < n; j++)
        if (!(s[j] < INFINITY))
            m = NAN;
    for (size_t j = 0; j < n; j++) {
        float p = exp_minus(s[j], m);

        sum += p;
        s[j] = round_to(h->P, p);
    }
    return sum;
}

void normalise(float *p, float l, size_t n)
{
    float factor = inverse(l);

    for (size_t j = 0; j < n; j++)
        if (p[j] != 0)
            p[j] *= factor;
}

void add_weighted(float *o, const float *p, matrix V)
{
    for (size_t j = 0; j < V.rows; j++)
        add_share(o, p[j], row(V, j), V.cols);
}

void weighted_sum(float *o, const float *p, matrix V)
{
    fill(matrix_of(o, 1, V.cols), 0);
    add_weighted(o, p, V);
}
