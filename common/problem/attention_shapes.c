/*
 * Refusing shapes that do not fit (attention_shapes.h).
 */
#include "common/problem/attention_shapes.h"

#include "common/npy/npy.h"

#include <stdio.h>

shaped shape_of(const char *name, const npy_array *array)
{
    shaped a = {name, array, {1, 1, 1, 1}};

    for (size_t k = 0; k < array->dims && array->dims <= ATTENTION_DIMS; k++)
        a.shape[ATTENTION_DIMS - array->dims + k] = array->shape[k];
    return a;
}

static int refuse(const shaped *a, const char *why)
{
    char text[NPY_SHAPE_MAX];

    fprintf(stderr, "%s: shape %s (%s)\n", a->name,
            npy_shape_text(a->array, text, sizeof text), why);
    return 2;
}

static int misfit(const shaped *a, const shaped *b, const char *rule)
{
    char a_text[NPY_SHAPE_MAX], b_text[NPY_SHAPE_MAX];

    fprintf(stderr, "%s: shape %s does not fit %s %s (%s)\n", a->name,
            npy_shape_text(a->array, a_text, sizeof a_text), b->name,
            npy_shape_text(b->array, b_text, sizeof b_text), rule);
    return 2;
}

static int check_dims(const shaped *a)
{
    if (a->array->dims >= 2 && a->array->dims <= ATTENTION_DIMS)
        return 0;
    return refuse(a, "2, 3 or 4 dimensions are allowed");
}

int check_qkv(const shaped *Q, const shaped *K, const shaped *V)
{
    const shaped *const all[] = {Q, K, V};
    size_t Hq = Q->shape[HEADS], Hk = K->shape[HEADS];

    for (size_t k = 0; k < 3; k++)
        if (check_dims(all[k]) != 0)
            return 2;
    for (size_t k = 1; k < 3; k++) {
        if (all[k]->array->dims != Q->array->dims)
            return misfit(all[k], Q, "Q, K, V have as many dimensions");
        if (all[k]->shape[BATCH] != Q->shape[BATCH])
            return misfit(all[k], Q, "B, the first, is the same");
    }
    if (Q->shape[COLS] == 0)
        return refuse(Q, "d, the last, is at least 1");
    if (K->shape[COLS] != Q->shape[COLS])
        return misfit(K, Q, "d, the last, is the same");
    if (V->shape[HEADS] != Hk)
        return misfit(V, K, "K and V have as many heads");
    if (V->shape[ROWS] != K->shape[ROWS])
        return misfit(V, K, "Nk, the last but one, is the same");
    if (Hk == 0 ? Hq != 0 : Hq % Hk != 0)
        return misfit(K, Q,
                      "Q has a whole multiple of K's heads; of (B, N, H, "
                      "d) swap axes 1 and 2");
    return 0;
}

int check_mask(const shaped *mask, const shaped *Q, const shaped *K)
{
    size_t B = mask->shape[BATCH], H = mask->shape[HEADS];

    if (check_dims(mask) != 0)
        return 2;
    if (mask->shape[ROWS] != Q->shape[ROWS])
        return misfit(mask, Q, "a mask has Nq rows, as many as Q");
    if (mask->shape[COLS] != K->shape[ROWS])
        return misfit(mask, K, "a mask's last is Nk, the rows of K");
    if ((B != 1 && B != Q->shape[BATCH]) || (H != 1 && H != Q->shape[HEADS]))
        return misfit(mask, Q, "leading ones of a mask: as in Q, 1, or none");
    return 0;
}
