/*
 * Q, K, V from files or random, with O, L and a mask (attention_arrays.h).
 */
#include "common/problem/attention_arrays.h"

#include "common/problem/attention_shapes.h"
#include "common/problem/bundled.h"
#include "common/problem/random.h"

#include <math.h>
#include <string.h>

/* O and L, and the problem with its defaults, for Q, K and V that fit. */
static int set_up(attention_arrays *a, const shaped *Q, const shaped *K,
                  const shaped *V)
{
    size_t dims = a->Q.dims, shape[ATTENTION_DIMS];

    memcpy(shape, a->Q.shape, dims * sizeof *shape);
    shape[dims - 1] = V->shape[COLS];
    if (npy_new(&a->O, dims, shape) || npy_new(&a->L, dims - 1, shape))
        return 1;
    a->problem = (layer){
        .B = Q->shape[BATCH],
        .Hq = Q->shape[HEADS],
        .Hk = K->shape[HEADS],
        .each = {.Nq = Q->shape[ROWS],
                 .Nk = K->shape[ROWS],
                 .d = Q->shape[COLS],
                 .dv = V->shape[COLS],
                 .scale = 1 / sqrtf((float)Q->shape[COLS])},
    };
    layer_give(&a->problem, a->Q.data, a->K.data, a->V.data, a->O.data,
               a->L.data);
    return 0;
}

static int accept(attention_arrays *a, const char *Q_name, const char *K_name,
                  const char *V_name)
{
    shaped Q = shape_of(Q_name, &a->Q), K = shape_of(K_name, &a->K);
    shaped V = shape_of(V_name, &a->V);
    int status = check_qkv(&Q, &K, &V);

    a->Q_name = Q_name;
    a->K_name = K_name;
    return status ? status : set_up(a, &Q, &K, &V);
}

int arrays_read(attention_arrays *a, const char *Q, const char *K,
                const char *V)
{
    memset(a, 0, sizeof *a);
    if (npy_read(Q, &a->Q) || npy_read(K, &a->K) || npy_read(V, &a->V))
        return 1;
    return accept(a, Q, K, V);
}

int arrays_bundled(attention_arrays *a)
{
    memset(a, 0, sizeof *a);
    if (bundled_missing())
        return 1;
    return arrays_read(a, BUNDLED_Q, BUNDLED_K, BUNDLED_V);
}

/* Adds to the first element of each row a ramp from -height to height. */
static void tilt(npy_array *a, double height)
{
    size_t rows = a->shape[ROWS], cols = a->shape[COLS];

    for (size_t i = 0; cols && i < a->size / cols; i++)
        a->data[i * cols] +=
            (float)(height * (2.0 * (double)(i % rows) / (double)rows - 1));
}

int arrays_random(attention_arrays *a, const random_sizes *s)
{
    const size_t Q[] = {s->B, s->Hq, s->Nq, s->d};
    const size_t K[] = {s->B, s->Hk, s->Nk, s->d};
    const size_t V[] = {s->B, s->Hk, s->Nk, s->dv};
    random_source r = random_seed(s->seed);

    memset(a, 0, sizeof *a);
    if (npy_new(&a->Q, 4, Q) || npy_new(&a->K, 4, K) || npy_new(&a->V, 4, V))
        return 1;
    random_fill(&r, a->Q.data, a->Q.size, 3);
    random_fill(&r, a->K.data, a->K.size, 1);
    random_fill(&r, a->V.data, a->V.size, 1);
    tilt(&a->K, sqrt((double)s->d));
    return accept(a, "Q", "K", "V");
}

int arrays_read_mask(attention_arrays *a, const char *path)
{
    shaped Q = shape_of(a->Q_name, &a->Q), K = shape_of(a->K_name, &a->K);
    shaped mask;
    int status = npy_read(path, &a->mask);

    if (status != 0)
        return status;
    mask = shape_of(path, &a->mask);
    status = check_mask(&mask, &Q, &K);
    if (status != 0)
        return status;
    a->problem.each.mask.hbm =
        matrix_of(a->mask.data, mask.shape[ROWS], mask.shape[COLS]);
    a->problem.mask_B = mask.shape[BATCH];
    a->problem.mask_H = mask.shape[HEADS];
    return 0;
}

void arrays_free(attention_arrays *a)
{
    npy_array *const all[] = {&a->Q, &a->K, &a->V, &a->mask, &a->O, &a->L};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        npy_free(all[k]);
}
