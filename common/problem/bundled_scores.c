/*
 * Scaled scores of the bundled Q and K (bundled_scores.h).
 */
#include "common/problem/bundled_scores.h"

#include "common/problem/bundled.h"
#include "common/matrix.h"

#include <math.h>
#include <stdio.h>

/* S = Q K^T / sqrt(d) of one head: N x d and N x d to N x N. */
static void score(matrix Q, matrix K, matrix S)
{
    float scale = 1 / sqrtf((float)Q.cols);

    for (size_t i = 0; i < Q.rows; i++)
        for (size_t j = 0; j < K.rows; j++)
            row(S, i)[j] = scale * dot(row(Q, i), row(K, j), Q.cols);
}

static int score_all(const npy_array *q, const npy_array *k, npy_array *scores)
{
    size_t N, d;

    if (q->dims != 4 || k->dims != 4 || q->size != k->size ||
        q->shape[2] != k->shape[2] || q->shape[3] != k->shape[3]) {
        fprintf(stderr, "%s: its shape is not that of %s, which is needed\n",
                BUNDLED_K, BUNDLED_Q);
        return 1;
    }
    N = q->shape[2];
    d = q->shape[3];
    if (npy_new(scores, 4, (size_t[]){q->shape[0], q->shape[1], N, N}) != 0)
        return 1;
    for (size_t h = 0; h < q->shape[0] * q->shape[1]; h++)
        score(matrix_of(q->data + h * N * d, N, d),
              matrix_of(k->data + h * N * d, N, d),
              matrix_of(scores->data + h * N * N, N, N));
    return 0;
}

int bundled_scores(npy_array *scores)
{
    npy_array q, k;
    int failed;

    *scores = (npy_array){0};
    if (bundled_missing() || npy_read(BUNDLED_Q, &q) != 0)
        return 1;
    failed = npy_read(BUNDLED_K, &k) || score_all(&q, &k, scores);
    npy_free(&q);
    npy_free(&k);
    return failed;
}

const score_change score_changes[SCORE_CHANGES] = {{"as they are", 1, 0},
                                                   {"times 5", 5, 0},
                                                   {"times 20", 20, 0},
                                                   {"minus 100", 1, -100},
                                                   {"minus 200", 1, -200}};

void change_scores(score_change c, const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * c.times + c.plus;
}
