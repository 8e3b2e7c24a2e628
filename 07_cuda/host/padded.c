/* Converts a layer to a problem for a rung (padded.h). */
#include "07_cuda/host/padded.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "07_cuda/host/device.h"

static void put(void *a, size_t e, precision type, float x)
{
    if (type == FP32)
        ((float *)a)[e] = x;
    else
        ((uint16_t *)a)[e] = to_narrow(type, x);
}

static float get(const void *a, size_t e, precision type)
{
    if (type == FP32)
        return ((const float *)a)[e];
    return from_narrow(type, ((const uint16_t *)a)[e]);
}

void pad_rows(void *to, matrix from, size_t D, precision type)
{
    for (size_t i = 0; i < from.rows; i++)
        for (size_t c = 0; c < D; c++)
            put(to, i * D + c, type, c < from.cols ? row(from, i)[c] : 0);
}

void unpad_rows(matrix to, const void *from, size_t D, precision type, bool add)
{
    for (size_t i = 0; i < to.rows; i++)
        for (size_t c = 0; c < to.cols; c++)
            row(to, i)[c] =
                get(from, i * D + c, type) + (add ? row(to, i)[c] : 0);
}

int limit_of(const head *h)
{
    long Nq = (long)h->Nq, Nk = (long)h->Nk;

    return (int)(h->rule.causal ? clamped(h->rule.offset, -Nq, Nk) : Nk);
}

int fail_step(memory *mem, int error, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(mem->message, sizeof mem->message, format, list);
    va_end(list);
    return mem->error = error;
}

/* Returns the name of the first feature of h that no kernel of chapter 07 has,
 * or NULL. */
static const char *missing_here(const head *h)
{
    return h->rule.softcap > 0     ? "softcap"
           : h->rule.mask.hbm.data ? "mask"
           : h->rule.window        ? "window"
           : h->rule.slope > 0     ? "ALiBi"
                                   : NULL;
}

int columns_of(const demand *n, const head *h)
{
    return columns_for(n, h->d > h->dv ? h->d : h->dv);
}

int refuse_heads(const head *h, size_t n, const demand *needs,
                 const char *chapters, memory *mem)
{
    const size_t most = INT_MAX / 2 - 256; /* so that i + offset fits an int */
    const char *missing = missing_here(h);
    char why[REASON];

    if (missing)
        return fail_step(mem, MEMORY_REFUSED,
                         "no %s here (chapters %s have it)", missing, chapters);
    if (n > 65535 || h->Nq > most || h->Nk > most)
        return fail_step(mem, MEMORY_REFUSED,
                         "%zu heads of %zu queries and %zu keys are too many "
                         "(allowed: 65535 heads, %zu queries, as many keys)",
                         n, h->Nq, h->Nk, most);
    if (!columns_of(needs, h))
        return fail_step(mem, MEMORY_REFUSED,
                         "d %zu, dv %zu don't fit (1 to %d are allowed)", h->d,
                         h->dv, widest_of(needs));
    if (!runs_here(needs, columns_of(needs, h), why))
        return fail_step(mem, MEMORY_REFUSED, "left out: %s", why);
    return 0;
}

rung_problem sized_as(const layer *l, precision type, int D)
{
    const head *h = &l->each;

    return (rung_problem){
        .type = type,
        .heads = (int)heads_of(l),
        .group = (int)(l->Hq / l->Hk),
        .Nq = (int)h->Nq,
        .Nk = (int)h->Nk,
        .D = D,
        .scale = h->scale,
        .offset = limit_of(h),
    };
}

int padded_from(rung_problem *p, const layer *l, precision type, int D)
{
    const head *h = &l->each;
    matrix Q = h->Q.hbm, K = h->K.hbm, V = h->V.hbm; /* the first head */
    device_array all[ARRAYS];

    Q.rows *= heads_of(l);
    K.rows *= l->B * l->Hk;
    V.rows *= l->B * l->Hk;
    *p = sized_as(l, type, D);
    rung_arrays(p, all);
    if (!arrays_on_host(all, L_OUT + 1))
        return 1;
    pad_rows((void *)p->Q, Q, (size_t)D, type);
    pad_rows((void *)p->K, K, (size_t)D, type);
    pad_rows((void *)p->V, V, (size_t)D, type);
    return 0;
}

void padded_to(const layer *l, const rung_problem *p)
{
    const head *h = &l->each;
    size_t D = (size_t)p->D;

    matrix O = h->O.hbm;

    O.rows *= heads_of(l);
    unpad_rows(O, p->O, D, p->type, false);
    for (size_t i = 0; i < O.rows; i++)
        *row(h->L.hbm, i) = p->L[i];
}

void padded_free(rung_problem *p)
{
    device_array all[ARRAYS];

    rung_arrays(p, all);
    for (int a = Q_IN; a <= L_OUT; a++)
        free(*all[a].at);
}
