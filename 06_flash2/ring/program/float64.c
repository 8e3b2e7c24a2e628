/*
 * The oracle, streamed (float64.h): online softmax again, in float64, where
 * rounding is too small to matter. For each row of the sample a state (m, l, o)
 * that is as small as the row; keys pass by, a block at a time.
 */
#include "06_flash2/ring/program/float64.h"

#include "06_flash2/ring/together.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, SAMPLE = 64 };

typedef struct {
    double m, l, *o;
} state;

static void attend(const head *h, size_t i, const float *K, const float *V,
                   size_t j0, size_t n, state *st)
{
    const float *q = row(h->Q.hbm, i);
    size_t seen = keys_seen(h, i);

    for (size_t j = 0; j < n && j0 + j < seen; j++) {
        double s = 0, m_new, alpha, p;

        for (size_t c = 0; c < h->d; c++)
            s += (double)q[c] * (double)K[j * h->d + c];
        s *= (double)h->scale;
        m_new = s > st->m ? s : st->m;
        alpha = st->l == 0 ? 0 : exp(st->m - m_new);
        p = exp(s - m_new);
        st->l = alpha * st->l + p;
        for (size_t c = 0; c < h->dv; c++)
            st->o[c] = alpha * st->o[c] + p * (double)V[j * h->dv + c];
        st->m = m_new;
    }
}

/* Adds the squares of the error and of the truth. */
static void compare(const head *h, size_t i, const state *st, double sum[2])
{
    for (size_t c = 0; c < h->dv; c++) {
        double want = st->l == 0 ? 0 : st->o[c] / st->l;
        double error = (double)row(h->O.hbm, i)[c] - want;

        sum[0] += error * error;
        sum[1] += want * want;
    }
}

/* Rows 0, every, 2 every ... of one head's part against all keys. */
static int check_part(const rank *me, const source *s, size_t nth, size_t a,
                      float *K, float *V, double sum[2])
{
    head h = head_between(me, nth, a, everything(me->p.Nk), 0, me->K, me->V);
    size_t every = h.Nq / SAMPLE + 1, n = tiles(h.Nq, every);
    size_t kv = nth / (me->p.Hq / me->p.Hk);
    double *o = calloc(n * h.dv + 1, sizeof *o);
    state *st = calloc(n + 1, sizeof *st);
    int failed = !o || !st;

    for (size_t k = 0; k < n && !failed; k++)
        st[k] = (state){-HUGE_VAL, 0, o + k * h.dv};
    for (size_t j0 = 0; j0 < h.Nk && h.Nq > 0 && !failed; j0 += BLOCK) {
        size_t bc = min_size(BLOCK, h.Nk - j0);

        failed = rows_read(s, OF_K, kv, j0, bc, K) ||
                 rows_read(s, OF_V, kv, j0, bc, V);
        for (size_t k = 0; k < n && !failed; k++)
            attend(&h, k * every, K, V, j0, bc, &st[k]);
    }
    for (size_t k = 0; k < n && !failed; k++)
        compare(&h, k * every, &st[k], sum);
    free(o);
    free(st);
    return failed;
}

double error_of_ranks(const rank *me, const source *s)
{
    float *K = malloc((BLOCK * me->p.d + 1) * sizeof *K);
    float *V = malloc((BLOCK * me->p.dv + 1) * sizeof *V);
    double sum[2] = {0, 0}, all[2];
    int failed = !K || !V;

    for (size_t nth = 0; nth < me->p.Hq && !failed; nth++)
        for (size_t a = 0; a < 2 && !failed; a++)
            failed = check_part(me, s, nth, a, K, V, sum);
    if (failed)
        sum[0] = (double)NAN;
    free(K);
    free(V);
    MPI_Allreduce(sum, all, 2, MPI_DOUBLE, MPI_SUM, me->comm);
    return all[0] == 0 ? 0 : sqrt(all[0] / all[1]);
}
