/*
 * FlashAttention-2 in plain C that a compiler vectorises. Each SIMD lane
 * computes one query.
 *
 * Changed since flash2_parallel: inner loops run over the queries of a block.
 * In flash2 the loop of a score is a sum over columns c. A compiler must not
 * split a sum, because the result would be rounded differently. Queries are
 * independent, so one vector computes several without -ffast-math:
 *
 *     S_j[i] = sum_c K_jc Q_c[i]     O_c[i] += sum_j V_jc P_j[i]
 *
 * Q, S and O are transposed. The loops use one number of K or V at a time.
 *
 * m is in base 2 and rounded to an integer, so alpha is a power of 2. e^x is a
 * few multiply-adds, because compilers do not vectorise calls of expf:
 *
 *     max_i <- max(max_i, max_j S_ij)
 *     m'_i = round(max_i / ln 2)         alpha_i = 2^{m_i - m'_i}
 *     P_ij = e^{S_ij} 2^{-m'_i}          l'_i = alpha_i l_i + sum_j P_ij
 *     O_i <- alpha_i O_i + P_i V         at the end: O_i / l_i
 *
 * docs/cpu_speed.md
 */
#include "06_flash2/fast/fast_steps.h"
#include "06_flash2/fast/lanes.h"
#include "common/scores.h"

typedef struct {
    lanes *Q, *O, *S; /* Q^T (d rows), O^T (dv rows), S^T (KEYS rows) */
    lanes max, m, l;  /* m = max / ln 2, rounded */
} query_block;

/* ANCHOR: product */
/* Computes out[r] += sum over k < n of A[r * rs + k * ks] B[k]. Each loaded row
 * of B is used for up to ROWS rows r. */
static void multiply(size_t rows, lanes *restrict out, const float *restrict A,
                     size_t rs, size_t ks, lanes *restrict B, size_t n)
{
    for (size_t r = 0; r < rows; r += ROWS) {
        size_t used = min_size(ROWS, rows - r);
        lanes sum[ROWS] = {{0}};

        if (used == ROWS)
            for (size_t k = 0; k < n; k++)
                for (size_t i = 0; i < QUERIES; i++)
                    for (size_t u = 0; u < ROWS; u++)
                        sum[u][i] += A[(r + u) * rs + k * ks] * B[k][i];
        else
            for (size_t u = 0; u < used; u++)
                for (size_t k = 0; k < n; k++)
                    for (size_t i = 0; i < QUERIES; i++)
                        sum[u][i] += A[(r + u) * rs + k * ks] * B[k][i];
        for (size_t u = 0; u < used; u++)
            for (size_t i = 0; i < QUERIES; i++)
                out[r + u][i] += sum[u][i];
    }
}
/* ANCHOR_END: product */

static void weigh(query_block *b, size_t j, size_t end)
{
    lanes sum = {0};

    for (; j < end; j++)
        for (size_t i = 0; i < QUERIES; i++) {
            b->S[j][i] = exp_over(b->S[j][i], b->m[i]);
            sum[i] += b->S[j][i];
        }
    for (size_t i = 0; i < QUERIES; i++)
        b->l[i] += sum[i];
}

static void bend_scores(const head *h, query_block *b, size_t j0, size_t n)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < h->Nq; i++)
            b->S[j][i] = bent_score(h, b->S[j][i], i, j0 + j);
}

static void load_queries(const head *h, query_block *b)
{
    for (size_t i = 0; i < QUERIES; i++) {
        const float *q = row(h->Q.hbm, min_size(i, h->Nq - 1));

        for (size_t c = 0; c < h->d; c++)
            b->Q[c][i] = q[c] * h->scale;
        b->max[i] = -INFINITY;
        b->m[i] = -most_m;
        b->l[i] = 0;
    }
    memset(b->O, 0, h->dv * sizeof *b->O);
}

/* Returns false if O or l is NaN or infinite (its product with 0 is NaN), or if
 * |max| is too large for base 2. */
static bool store_block(const head *h, const query_block *b)
{
    float check = 0;

    for (size_t i = 0; i < h->Nq; i++) {
        float rounded = round_log2(b->max[i]), *o = row(h->O.hbm, i);

        if (!(b->max[i] == -INFINITY ||
              (rounded > -most_m && rounded < most_m)))
            return false;
        for (size_t c = 0; c < h->dv; c++) {
            o[c] = b->O[c][i] * inverse(b->l[i]);
            check += o[c] * 0;
        }
        check += b->l[i] * 0;
        *row(h->L.hbm, i) =
            b->m[i] * ln2 + (b->m[i] * ln2_rest + logf(b->l[i]));
    }
    return check == 0;
}

/* ANCHOR: kernel */
static bool attend_block(const head *h, const head *next, float *tile)
{
    query_block b = {.Q = (lanes *)tile};
    size_t most = seen(h, all(h->Nq)), all_see = seen(h, one(0)), n;

    (void)next;

    b.O = b.Q + h->d;
    b.S = b.O + h->dv;
    load_queries(h, &b);
    for (size_t j0 = seen_from(h, one(0)); j0 < most; j0 += n) {
        bool limited = j0 >= all_see;
        size_t half;
        lanes alpha;

        /* A tile has only keys before all_see, or only later ones. So the bits
         * of a row do not depend on later keys that the row does not see. */
        n = min_size(KEYS, (limited ? most : all_see) - j0);
        half = limited ? n : tiles(n, 2);
        if (!visible(h, all(h->Nq), span_of(j0, n)))
            continue;

        /* load: K and V are read in place */
        /* scores: line 8 of FlashAttention-2's Algorithm 1, for 64 queries */
        memset(b.S, 0, n * sizeof *b.S);
        multiply(n, b.S, row(h->K.hbm, j0), h->K.hbm.stride, 1, b.Q, h->d);
        if (bends_scores(&h->rule) || limited)
            bend_scores(h, &b, j0, n);
        /* update: line 9, for 64 queries */
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < QUERIES; i++)
                b.max[i] = larger(b.S[j][i], b.max[i]);
        for (size_t i = 0; i < QUERIES; i++) {
            float m = larger(-most_m, round_log2(b.max[i]));

            alpha[i] = power_of_2(b.m[i] - m);
            b.l[i] *= alpha[i];
            b.m[i] = m;
        }
        for (size_t c = 0; c < h->dv; c++)
            for (size_t i = 0; i < QUERIES; i++)
                b.O[c][i] *= alpha[i];
        /* lines 9 and 10, by halves unless limited: short sums round less */
        for (size_t j = 0; j < n; j += half) {
            size_t end = min_size(n, j + half);

            weigh(&b, j, end);
            multiply(h->dv, b.O, row(h->V.hbm, j0 + j), 1, h->V.hbm.stride,
                     b.S + j, end - j);
        }
    }
    /* finish: lines 12 to 15 */
    return store_block(h, &b);
}
/* ANCHOR_END: kernel */

const block_kernel FOR_TARGET(flash2_lanes) = {attend_block, QUERIES, KEYS};
