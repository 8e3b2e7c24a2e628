#include "common/scores.h"

static void count(memory *mem, counts more)
{
    counts_add(&mem->counts, &more);
}

void scores(const head *h, memory *mem, matrix *S, matrix Q, matrix K, span i,
            span j)
{
    array mask = h->rule.mask;
    bool masked = mask.hbm.data != NULL;

    S->rows = i.n;
    S->cols = j.n;
    if (masked) {
        mask.hbm.data += j.first;
        load_as(mem, MASK, S, mask, i);
    }
    for (size_t r = 0; r < i.n; r++) {
        float *s = row(*S, r);

        for (size_t k = 0; k < j.n; k++) {
            size_t query = i.first + r, key = j.first + k;
            float added = masked ? s[k] : 0;

            if (added == -INFINITY || !visible(h, one(query), one(key)))
                s[k] = -INFINITY;
            else
                s[k] = final_score(&h->rule,
                                   h->scale * dot(row(Q, r), row(K, k), h->d),
                                   query, key, added);
        }
    }
}

float score(const head *h, memory *mem, matrix q, matrix k, size_t i, size_t j)
{
    float s;
    matrix S = matrix_of(&s, 1, 1);

    scores(h, mem, &S, q, k, one(i), one(j));
    return s;
}

float rescale_factor(memory *mem, float m_old, float m_new)
{
    count(mem, (counts){.exps = 1, .rescales = 1});
    return exp_minus(m_old, m_new);
}

float exponentiate(memory *mem, const head *h, float *s, size_t n, float m)
{
    float sum = 0;

    for (size_t j = 0; j < n; j++)
        if (!(s[j] < INFINITY))
            m = NAN;
    for (size_t j = 0; j < n; j++) {
        float p = exp_minus(s[j], m);

        sum += p;
        s[j] = round_to(h->P_type, p);
    }
    count(mem, (counts){.exps = n});
    return sum;
}

void rescale(memory *mem, float *y, float a, size_t n)
{
    scale_row(y, a, n);
    count(mem, (counts){.rescales = n});
}

void divide(memory *mem, float *y, float l, size_t n)
{
    scale_row(y, inverse(l), n);
    count(mem, (counts){.divisions = n});
}

void normalise(memory *mem, float *p, float l, size_t n)
{
    float factor = inverse(l);

    for (size_t j = 0; j < n; j++)
        if (p[j] != 0)
            p[j] *= factor;
    count(mem, (counts){.divisions = n});
}

void add_divided(memory *mem, float *y, float a, const float *x, float l,
                 size_t n)
{
    add_share(y, a * inverse(l), x, n);
    count(mem, (counts){.divisions = n});
}

void merge_part(memory *mem, float *m, float *l, float *o, float m_part,
                float l_part, const float *o_part, size_t n)
{
    float m_new = fmaxf(*m, m_part);
    float alpha = rescale_factor(mem, *m, m_new);
    float beta = rescale_factor(mem, m_part, m_new);

    *l = alpha * *l + beta * l_part;
    rescale(mem, o, alpha, n);
    add_share(o, beta, o_part, n);
    count(mem, (counts){.rescales = n});
    *m = m_new;
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
