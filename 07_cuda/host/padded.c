/*
 * A layer made into a problem for a rung (padded.h).
 */
#include "07_cuda/host/padded.h"

#include <stdlib.h>

static size_t bytes_of(precision type)
{
    return type == FP32 ? sizeof(float) : sizeof(uint16_t);
}

/* Element e of an array of that type. */
static void put(void *a, size_t e, precision type, float x)
{
    if (type == FP32)
        ((float *)a)[e] = x;
    else
        ((uint16_t *)a)[e] = type == BF16 ? to_bf16(x) : to_fp16(x);
}

static float get(const void *a, size_t e, precision type)
{
    if (type == FP32)
        return ((const float *)a)[e];
    return (type == BF16 ? from_bf16 : from_fp16)(((const uint16_t *)a)[e]);
}

/* A new array of the rows of n matrices, the first of which is given and the
 * others lie behind it; D columns each. */
static void *pad(matrix first, size_t n, size_t D, precision type)
{
    size_t rows = n * first.rows;
    void *a = calloc(rows * D + 1, bytes_of(type));

    for (size_t i = 0; a && i < rows; i++)
        for (size_t c = 0; c < first.cols; c++)
            put(a, i * D + c, type, row(first, i)[c]);
    return a;
}

/* The limit as kernels have it: beyond -Nq .. Nk nothing changes. */
static int limit_of(const head *h)
{
    if (!h->causal || h->offset > (long)h->Nk)
        return (int)h->Nk;
    return h->offset < -(long)h->Nq ? -(int)h->Nq : (int)h->offset;
}

int padded_from(rung_problem *p, const layer *l, precision type, int D)
{
    const head *h = &l->each;
    size_t columns = (size_t)D, n = heads_of(l), shared = l->B * l->Hk;

    *p = (rung_problem){
        .type = type,
        .heads = (int)n,
        .group = (int)(l->Hq / l->Hk),
        .Nq = (int)h->Nq,
        .Nk = (int)h->Nk,
        .D = D,
        .scale = h->scale,
        .offset = limit_of(h),
        .Q = pad(h->Q.hbm, n, columns, type),
        .K = pad(h->K.hbm, shared, columns, type),
        .V = pad(h->V.hbm, shared, columns, type),
        .O = malloc(n * h->Nq * columns * bytes_of(type) + 1),
        .L = malloc((n * h->Nq + 1) * sizeof(float)),
    };
    return p->Q && p->K && p->V && p->O && p->L ? 0 : 1;
}

void padded_to(const layer *l, const rung_problem *p)
{
    const head *h = &l->each;
    size_t D = (size_t)p->D;

    for (size_t i = 0; i < heads_of(l) * h->Nq; i++) {
        for (size_t c = 0; c < h->dv; c++)
            row(h->O.hbm, i)[c] = get(p->O, i * D + c, p->type);
        *row(h->L.hbm, i) = p->L[i];
    }
}

void padded_free(rung_problem *p)
{
    free((void *)p->Q);
    free((void *)p->K);
    free((void *)p->V);
    free(p->O);
    free(p->L);
}
