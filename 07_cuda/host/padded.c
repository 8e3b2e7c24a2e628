/*
 * Heads as chapters 04-06 have them, made into a problem for a rung
 * (padded.h).
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

/* A new array of the rows of count matrices, D columns each. */
static void *pad(const matrix parts[], size_t count, size_t D, precision type)
{
    size_t rows = count ? parts[0].rows : 0, e = 0;
    void *a = calloc(count * rows * D + 1, bytes_of(type));

    if (!a)
        return NULL;
    for (size_t n = 0; n < count; n++)
        for (size_t i = 0; i < rows; i++, e += D)
            for (size_t c = 0; c < parts[n].cols; c++)
                put(a, e + c, type, row(parts[n], i)[c]);
    return a;
}

/* The limit as kernels have it: beyond -Nq .. Nk nothing changes. */
static int limit_of(const head *h)
{
    if (!h->causal || h->offset > (long)h->Nk)
        return (int)h->Nk;
    return h->offset < -(long)h->Nq ? -(int)h->Nq : (int)h->offset;
}

int padded_from(rung_problem *p, const head heads[], size_t n, size_t group,
                precision type, int D)
{
    size_t columns = (size_t)D, groups = n / group, rows = n * heads->Nq;
    matrix *parts = malloc((n + 1) * sizeof *parts);

    *p = (rung_problem){
        .type = type,
        .heads = (int)n,
        .group = (int)group,
        .Nq = (int)heads->Nq,
        .Nk = (int)heads->Nk,
        .D = D,
        .scale = heads->scale,
        .offset = limit_of(heads),
    };
    if (!parts)
        return 1;
    for (size_t i = 0; i < n; i++)
        parts[i] = heads[i].Q.hbm;
    p->Q = pad(parts, n, columns, type);
    for (size_t i = 0; i < groups; i++)
        parts[i] = heads[i * group].K.hbm;
    p->K = pad(parts, groups, columns, type);
    for (size_t i = 0; i < groups; i++)
        parts[i] = heads[i * group].V.hbm;
    p->V = pad(parts, groups, columns, type);
    free(parts);
    p->O = malloc(rows * columns * bytes_of(type) + 1);
    p->L = malloc((rows + 1) * sizeof(float));
    return p->Q && p->K && p->V && p->O && p->L ? 0 : 1;
}

void padded_to(const head heads[], size_t n, const rung_problem *p)
{
    size_t D = (size_t)p->D, i = 0;

    for (size_t k = 0; k < n; k++)
        for (size_t r = 0; r < heads[k].Nq; r++, i++) {
            for (size_t c = 0; c < heads[k].dv; c++)
                row(heads[k].O.hbm, r)[c] = get(p->O, i * D + c, p->type);
            if (heads[k].L.hbm.data)
                *row(heads[k].L.hbm, r) = p->L[i];
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
