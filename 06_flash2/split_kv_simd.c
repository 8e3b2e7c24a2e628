/*
 * split_kv at the memory's speed: few queries, long keys.
 *
 * Changed since split_kv: vectors (simd.h), but not one lane a query, for
 * there may be one query only. Each number of K and V is used once, so what
 * counts is that they stream from memory without a pause:
 *
 *   S = K q      a vector is W columns of a key; W keys at a time, so that the
 *                sums over their lanes are taken all at once
 *   O += p V     a vector is W columns of O, in a register for a tile of keys
 *   small tiles  K and V in turns of about a page: both keep coming
 *   prefetch     a page ahead: the hardware sees where a loop is going, but
 *                does not look beyond the page that it is in
 *
 * The keys of each head in parts, the parts on all cores, merged as in
 * split_kv: key_parts.c. docs/cpu_speed.md
 */
#include "06_flash2/fast_steps.h"
#include "06_flash2/simd.h"

/* Keys of a tile, vectors of columns at a time, and floats of a page. */
enum { KEYS = 16, GROUP = 4, PAGE = 1024 };

/* Row j of a is in use: asks for what lies a page further on. */
INLINE void prefetch_page(matrix a, size_t j)
{
    prefetch(a, j + PAGE / a.stride, 1);
}

/* The scores of the n <= W keys from j on; -inf in lanes n and up. */
INLINE vf score_keys(const head *h, const float *q, size_t j, size_t n)
{
    size_t whole = h->d - h->d % W;
    vf sums[W], s;

    EACH (i, 0, W) {
        const float *k = row(h->K.hbm, j + min_size(i, n - 1));

        prefetch_page(h->K.hbm, j + i);
        sums[i] = all_lanes(0);
        for (size_t c = 0; c < whole; c += W)
            sums[i] += load_lanes(k + c) * load_lanes(q + c);
    }
    s = sums_of_lanes(sums);
    for (size_t i = 0; i < n; i++)
        s[i] += dot(row(h->K.hbm, j + i) + whole, q + whole, h->d - whole);
    return choose((vi){IOTA} < (int)n, s, all_lanes(-INFINITY));
}

/* o = alpha o + sum_j p_j v_j of n keys from j0 on, in columns from c on. */
INLINE void add_values(const head *h, size_t vectors, const float *p, size_t j0,
                       size_t n, size_t c, float alpha, float *o)
{
    vf sums[GROUP] = {{0}};

    for (size_t j = 0; j < n; j++) {
        if (c == 0)
            prefetch_page(h->V.hbm, j0 + j);
        EACH (x, 0, vectors)
            sums[x] += p[j] * load_lanes(row(h->V.hbm, j0 + j) + c + x * W);
    }
    EACH (x, 0, vectors)
        store_lanes(o + c + x * W, alpha * load_lanes(o + c + x * W) + sums[x]);
}

/* The largest of the tile's n scores and of those before. */
static float max_score(const float *s, size_t n, float max)
{
    for (size_t j = 0; j < n; j++)
        max = s[j] > max ? s[j] : max;
    return max;
}

/* ANCHOR: kernel */
void FOR_TARGET(split_kv_simd)(const head *h, const float *q, size_t i,
                               size_t j0, size_t end, partial *state)
{
    vf l = all_lanes(0), m = all_lanes(-most_m);

    for (; j0 < end; j0 += KEYS) {
        size_t n = min_size(KEYS, end - j0), c = 0;
        float p[KEYS], alpha;
        vf m_prev = m;

        /* scores */
        for (size_t j = 0; j < n; j += W)
            store_lanes(p + j, score_keys(h, q, j0 + j, min_size(W, n - j)));
        for (size_t j = 0; j < n && bends_scores(h); j++)
            p[j] = bent_score(h, p[j], i, j0 + j);
        /* update */
        state->max = max_score(p, n, state->max);
        m = larger(m, round_log2(all_lanes(state->max)));
        alpha = power_of_2(m_prev - m)[0];
        l *= alpha;
        for (size_t j = 0; j < n; j += W) {
            vf weights = exp_over(load_lanes(p + j), m);

            store_lanes(p + j, weights);
            l += weights;
        }
        for (; c + GROUP * W <= h->dv; c += GROUP * W)
            add_values(h, GROUP, p, j0, n, c, alpha, state->O);
        for (; c + W <= h->dv; c += W)
            add_values(h, 1, p, j0, n, c, alpha, state->O);
        for (; c < h->dv; c++) {
            float sum = 0;

            for (size_t j = 0; j < n; j++)
                sum += p[j] * row(h->V.hbm, j0 + j)[c];
            state->O[c] = alpha * state->O[c] + sum;
        }
    }
    /* finish */
    state->m = m[0];
    EACH (lane, 0, W)
        state->l += l[lane];
}
/* ANCHOR_END: kernel */
