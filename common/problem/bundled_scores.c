/*
 * Scaled scores of the bundled Q and K (bundled.h).
 */
#include "common/matrix.h"
#include "common/problem/bundled.h"

#include <math.h>

/* S = Q K^T / sqrt(d) of one head: N x d and N x d to N x N. */
static void score(const float *Q, const float *K, float *S, size_t N, size_t d)
{
    float scale = 1 / sqrtf((float)d);

    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            S[i * N + j] = scale * dot(Q + i * d, K + j * d, d);
}

static int score_all(const npy_array *q, const npy_array *k, npy_array *scores)
{
    size_t heads, N, d;

    if (q->dims != 4 || k->dims != 4 || q->size != k->size ||
        q->shape[2] != k->shape[2] || q->shape[3] != k->shape[3])
        return refused(1, BUNDLED_K,
                       "its shape is not that of %s, which is needed",
                       BUNDLED_Q);
    heads = q->shape[0] * q->shape[1], N = q->shape[2], d = q->shape[3];
    if (npy_new(scores, 4, (size_t[]){q->shape[0], q->shape[1], N, N}) != 0)
        return 1;
    for (size_t h = 0; h < heads; h++)
        score(q->data + h * N * d, k->data + h * N * d,
              scores->data + h * N * N, N, d);
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
