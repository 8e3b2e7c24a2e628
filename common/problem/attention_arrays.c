/*
 * Q, K, V from files or random, with O, L, a mask and other rules; shapes that do
 * not fit are refused (attention_arrays.h).
 */
#include "common/problem/attention_arrays.h"

#include "common/half_bits.h"
#include "common/print/outside.h"
#include "common/problem/bundled.h"
#include "common/problem/random.h"

#include <math.h>
#include <string.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* --- Shapes ---------------------------------------------------------------- */

/* An array, the name that messages give it, and all four sizes. */
typedef struct {
    const char *name;
    const npy_array *array;
    size_t shape[ATTENTION_DIMS]; /* leading ones that it lacks are 1 */
} shaped;

static shaped shape_of(const char *name, const npy_array *of)
{
    shaped a = {name, of, {1, 1, 1, 1}};

    for (size_t k = 0; k < of->dims && of->dims <= ATTENTION_DIMS; k++)
        a.shape[ATTENTION_DIMS - of->dims + k] = of->shape[k];
    return a;
}

static int refuse(const shaped *a, const char *why)
{
    char text[NPY_SHAPE_MAX];

    return refused(2, a->name, "shape %s (%s)", npy_shape_text(a->array, text),
                   why);
}

static int misfit(const shaped *a, const shaped *b, const char *needed)
{
    char a_text[NPY_SHAPE_MAX], b_text[NPY_SHAPE_MAX];

    return refused(2, a->name, "shape %s does not fit %s %s (%s)",
                   npy_shape_text(a->array, a_text), shown(b->name).text,
                   npy_shape_text(b->array, b_text), needed);
}

static int check_dims(const shaped *a)
{
    if (a->array->dims >= 2 && a->array->dims <= ATTENTION_DIMS)
        return 0;
    return refuse(a, "2, 3 or 4 dimensions are allowed");
}

/* Each returns 0, or 2 after one line on stderr with the shapes. */
static int check_qkv(const shaped *Q, const shaped *K, const shaped *V)
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
    return check_sizes(&(random_sizes){
        .B = Q->shape[BATCH],
        .Hq = Hq,
        .Hk = Hk,
        .Nq = Q->shape[ROWS],
        .Nk = K->shape[ROWS],
        .d = Q->shape[COLS],
        .dv = V->shape[COLS],
    });
}

static int check_mask(const shaped *mask, const shaped *Q, const shaped *K)
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

/* --- Arrays ---------------------------------------------------------------- */

/* O and L, and the problem with its defaults, for Q, K and V that fit. */
static int set_up(attention_arrays *a, const shaped *Q, const shaped *K,
                  const shaped *V)
{
    size_t dims = a->Q.dims, shape[ATTENTION_DIMS];

    memcpy(shape, a->Q.shape, dims * sizeof *shape);
    shape[dims - 1] = V->shape[COLS];
    if (npy_new(&a->O, dims, shape) || npy_new(&a->L, dims - 1, shape))
        return 1;
    a->layer = (layer){
        .B = Q->shape[BATCH],
        .Hq = Q->shape[HEADS],
        .Hk = K->shape[HEADS],
        .each = {.Nq = Q->shape[ROWS],
                 .Nk = K->shape[ROWS],
                 .d = Q->shape[COLS],
                 .dv = V->shape[COLS],
                 .scale = 1 / sqrtf((float)Q->shape[COLS])},
    };
    layer_give(&a->layer, a->Q.data, a->K.data, a->V.data, a->O.data,
               a->L.data);
    return 0;
}

/* Of Q, K and V that are there: do they fit? Then what belongs to them is set up. */
static int take_as(attention_arrays *a, const char *Q_name, const char *K_name,
                   const char *V_name)
{
    shaped Q = shape_of(Q_name, &a->Q), K = shape_of(K_name, &a->K);
    shaped V = shape_of(V_name, &a->V);
    int status = check_qkv(&Q, &K, &V);

    a->Q_name = Q_name;
    a->K_name = K_name;
    return status ? status : set_up(a, &Q, &K, &V);
}

int arrays_read(attention_arrays *a, precision KV_type, const char *Q,
                const char *K, const char *V)
{
    memset(a, 0, sizeof *a);
    if (npy_read(Q, &a->Q) || npy_read_as(KV_type, K, &a->K) ||
        npy_read_as(KV_type, V, &a->V))
        return 1;
    return take_as(a, Q, K, V);
}

int arrays_bundled(attention_arrays *a)
{
    memset(a, 0, sizeof *a);
    if (bundled_missing())
        return 1;
    return arrays_read(a, FP32, BUNDLED_Q, BUNDLED_K, BUNDLED_V);
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
    a->layer.each.rule.mask.hbm =
        matrix_of(a->mask.data, mask.shape[ROWS], mask.shape[COLS]);
    a->layer.mask_B = mask.shape[BATCH];
    a->layer.mask_H = mask.shape[HEADS];
    return 0;
}

void arrays_free(attention_arrays *a)
{
    npy_array *const all[] = {&a->Q,    &a->K,      &a->V, &a->mask,
                              &a->sink, &a->blocks, &a->O, &a->L};

    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        npy_free(all[k]);
    free(a->narrow);
    a->narrow = NULL;
}

/* --- 16 bits --------------------------------------------------------------- */

static void narrow_into(uint16_t *to, precision type, npy_array *from, array *a)
{
    a->type = type;
    a->narrow = to;
    for (size_t i = 0; i < from->size; i++) {
        to[i] = to_narrow(type, from->data[i]);
        from->data[i] = from_narrow(type, to[i]);
    }
}

int arrays_narrow(attention_arrays *a, precision type)
{
    head *h = &a->layer.each;

    a->narrow = malloc((a->K.size + a->V.size + 1) * sizeof *a->narrow);
    if (!a->narrow)
        return refused(1, "--kv-type", "no memory for K and V in 16 bits");
    narrow_into(a->narrow, type, &a->K, &h->K);
    narrow_into(a->narrow + a->K.size, type, &a->V, &h->V);
    return 0;
}

/* --- Random ---------------------------------------------------------------- */

/* Adds to the first element of each row a ramp from -height to height. */
static void tilt(npy_array *a, double height)
{
    size_t rows = a->shape[ROWS], cols = a->shape[COLS];

    for (size_t i = 0; cols && i < a->size / cols; i++)
        a->data[i * cols] +=
            (float)(height * (2.0 * (double)(i % rows) / (double)rows - 1));
}

int check_sizes(const random_sizes *s)
{
    const struct {
        const char *option;
        size_t size;
    } factors[] = {
        {"--batch", s->B},
        {s->Hk > s->Hq ? "--kv-heads" : "--heads", max_size(s->Hq, s->Hk)},
        {"--n", s->Nq},
        {"--nk", s->Nk},
        {s->dv > s->d ? "--dv" : "--d", max_size(s->d, s->dv)}};
    const size_t most = SIZE_MAX / 16; /* some formulas have an 8 N^2 d */
    size_t left = most;

    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
        if (factors[k].size > left)
            return refused(2, factors[k].option,
                           "%zu is too large (batch, heads, n, nk and d may "
                           "have a product of %zu)",
                           factors[k].size, most);
        left /= max_size(factors[k].size, 1);
    }
    if (s->Hk == 0 ? s->Hq == 0 : s->Hq % s->Hk == 0)
        return 0;
    return refused(2, "--kv-heads",
                   "%zu query heads cannot share %zu (a whole multiple is "
                   "allowed)",
                   s->Hq, s->Hk);
}

int arrays_random(attention_arrays *a, const random_sizes *s)
{
    const size_t Q[] = {s->B, s->Hq, s->Nq, s->d};
    const size_t K[] = {s->B, s->Hk, s->Nk, s->d};
    const size_t V[] = {s->B, s->Hk, s->Nk, s->dv};
    random_source r = random_seed(s->seed);

    memset(a, 0, sizeof *a);
    if (check_sizes(s) != 0)
        return 2;
    if (npy_new(&a->Q, 4, Q) || npy_new(&a->K, 4, K) || npy_new(&a->V, 4, V))
        return 1;
    random_fill(&r, a->Q.data, a->Q.size, 3);
    random_fill(&r, a->K.data, a->K.size, 1);
    random_fill(&r, a->V.data, a->V.size, 1);
    tilt(&a->K, sqrt((double)s->d));
    return take_as(a, "Q", "K", "V");
}

/* --- Rules of the scores that come in a file ------------------------------- */

int arrays_read_sink(attention_arrays *a, const char *text)
{
    size_t Hq = a->layer.Hq;
    char shape[NPY_SHAPE_MAX];
    float number;
    bool is_number = number_from(text, &number);
    int status;

    if (!is_number && access(text, F_OK) != 0)
        return refused(2, "--sink",
                       "'%s' is neither a number finite in fp32 (such as 0.125 "
                       "or -2e-3) nor a file",
                       shown(text).text);
    status = is_number ? npy_new(&a->sink, 1, &Hq) : npy_read(text, &a->sink);
    if (status != 0)
        return status;
    if (a->sink.dims != 1 || a->sink.size != Hq)
        return refused(2, text,
                       "shape %s (sinks are (Hq), one for each query head)",
                       npy_shape_text(&a->sink, shape));
    for (size_t h = 0; h < Hq; h++) {
        if (is_number)
            a->sink.data[h] = number;
        if (!isfinite(a->sink.data[h]))
            return refused(2, "--sink", "%s: %g is not finite in fp32",
                           shown(text).text, (double)a->sink.data[h]);
    }
    a->layer.each.rule.sink = a->sink.data;
    return 0;
}

int arrays_read_blocks(attention_arrays *a, const char *path, size_t size)
{
    head *h = &a->layer.each;
    size_t rows = tiles(h->Nq, size), cols = tiles(h->Nk, size);
    const npy_array *b = &a->blocks;
    int status = npy_read(path, &a->blocks);
    char shape[NPY_SHAPE_MAX];

    if (status != 0)
        return status;
    if (b->dims != 2 || b->shape[0] != rows || b->shape[1] != cols)
        return refused(2, path,
                       "shape %s (%zu queries and %zu keys in blocks of %zu "
                       "need (%zu, %zu))",
                       npy_shape_text(b, shape), h->Nq, h->Nk, size, rows,
                       cols);
    for (size_t k = 0; k < b->size; k++)
        if (b->data[k] != 0 && b->data[k] != 1)
            return refused(2, path,
                           "%g for block (%zu, %zu) (0 or 1 are allowed)",
                           (double)b->data[k], k / cols, k % cols);
    h->rule.blocks.of = matrix_of(b->data, rows, cols);
    h->rule.blocks.size = size;
    return 0;
}
