/*
 * The table of the backward rungs (gradient_rung.h), and their steps (steps.h).
 */
#include "07_cuda/backward/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "06_flash2/steps.h"
#include "07_cuda/host/device.h"
#include "07_cuda/host/padded.h"
#include "common/memory_limit.h"

const gradient_rung backward_ladder[BACKWARD_RUNGS] = {
    [BACKWARD_atomics] = {FP32,
                          false,
                          {TURING, {41, 41, 35}},
                          backward_atomics},
    [BACKWARD_two_kernels] = {FP32,
                              true,
                              {TURING, {9, 17, 17}},
                              backward_two_kernels},
    [BACKWARD_tensor_cores] = {BF16,
                               false,
                               {AMPERE, {65, 97, 89}},
                               backward_tensor_cores},
    [BACKWARD_wgmma] = {BF16, true, {HOPPER, {0, 100, 195}}, backward_wgmma},
    [BACKWARD_reduce] = {BF16, false, {HOPPER, {0, 196, 195}}, backward_reduce},
};

size_t backward_columns(const gradient_rung *r, const head *h)
{
    return (size_t)columns_of(&r->needs, h);
}

static size_t group_of(const gradients heads[], size_t n)
{
    size_t group = 1;

    while (group < n && heads[group].add)
        group++;
    return group;
}

static void *at(const void *a, size_t n, int rows, const rung_problem *f)
{
    return (char *)a +
           n * (size_t)rows * (size_t)f->D * precision_bytes(f->type);
}

static void pad_heads(const gradient_problem *p, const gradients heads[])
{
    const rung_problem *f = &p->forward;
    size_t D = (size_t)f->D;

    for (size_t n = 0; n < (size_t)f->heads; n++) {
        const head *h = &heads[n].h;
        size_t kv = n / (size_t)f->group;

        pad_rows(at(f->Q, n, f->Nq, f), h->Q.hbm, D, f->type);
        pad_rows(at(f->O, n, f->Nq, f), h->O.hbm, D, f->type);
        pad_rows(at(p->dO, n, f->Nq, f), heads[n].dO.hbm, D, f->type);
        pad_rows(at(f->K, kv, f->Nk, f), h->K.hbm, D, f->type);
        pad_rows(at(f->V, kv, f->Nk, f), h->V.hbm, D, f->type);
        for (size_t i = 0; i < h->Nq; i++)
            f->L[n * h->Nq + i] = *row(h->L.hbm, i);
    }
}

static void unpad_heads(const gradient_problem *p, const gradients heads[])
{
    const rung_problem *f = &p->forward;
    size_t D = (size_t)f->D, group = (size_t)f->group;

    for (size_t n = 0; n < (size_t)f->heads; n++) {
        const gradients *g = &heads[n];

        unpad_rows(g->dQ.hbm, at(p->dQ, n, f->Nq, f), D, f->type, false);
        if (n % group)
            continue; /* the group's first head has dK and dV */
        unpad_rows(g->dK.hbm, at(p->dK, n / group, f->Nk, f), D, f->type,
                   g->add);
        unpad_rows(g->dV.hbm, at(p->dV, n / group, f->Nk, f), D, f->type,
                   g->add);
    }
}

static int all_zero(const gradients heads[], size_t n)
{
    for (size_t k = 0; k < n; k++) {
        fill(heads[k].dQ.hbm, 0);
        if (!heads[k].add) {
            fill(heads[k].dK.hbm, 0);
            fill(heads[k].dV.hbm, 0);
        }
    }
    return 0;
}

static void run_padded(const gradient_rung *r, const gradient_problem *p,
                       const gradients heads[], memory *mem)
{
    gradient_moved moved;
    int error;

    pad_heads(p, heads);
    error = gradients_on_device(r->run, p, &moved);
    if (error) {
        fail_step(mem, MEMORY_FULL, "%s", device_error(error));
        return;
    }
    unpad_heads(p, heads);
    mem->counts.read[ALGORITHM] += moved.loaded + moved.added;
    mem->counts.written[ALGORITHM] += moved.stored + moved.added;
}

static const gradient_rung *rung_named(const char *name)
{
    size_t k = 0;

    while (strcmp(chapter_07_backward[k].name, name) != 0)
        k++;
    return &backward_ladder[k];
}

/* Returns the problem of n heads like h, without arrays. */
static gradient_problem problem_sized(const gradient_rung *r, const head *h,
                                      size_t n, size_t group)
{
    return (gradient_problem){.forward = {.type = r->type,
                                          .heads = (int)n,
                                          .group = (int)group,
                                          .Nq = (int)h->Nq,
                                          .Nk = (int)h->Nk,
                                          .D = (int)backward_columns(r, h),
                                          .scale = h->scale,
                                          .offset = limit_of(h)}};
}

double gradient_bytes(const head *h, const char *only)
{
    double most = 0;

    for (const backward_step *s = chapter_07_backward; s->name; s++) {
        gradient_problem p = problem_sized(rung_named(s->name), h, 1, 1);
        device_array all[GRADIENT_ARRAYS];

        gradient_arrays(&p, all);
        if (!only || strcmp(only, s->name) == 0)
            most = fmax(most, bytes_on_host(all, ON_THE_HOST, GRADIENT_ARRAYS));
    }
    return most + sizeof(float) * ((double)h->Nq + (double)h->Nk) *
                      ((double)h->d + (double)h->dv);
}

/* A head with `add` set shares K and V with the head before it. Each atomic
 * addition counts as one element read and one written. */
static int run_heads(const backward_step *step, const gradients heads[],
                     size_t n, memory *mem)
{
    const gradient_rung *r = rung_named(step->name);
    const head *h = &heads->h;
    device_array all[GRADIENT_ARRAYS];
    char why[MEMORY_WHY];
    gradient_problem p;

    if (n == 0)
        return 0;
    if (refuse_heads(h, n, &r->needs, "05 and 06", mem))
        return mem->error;
    if (h->Nq == 0 || h->Nk == 0)
        return all_zero(heads, n);
    p = problem_sized(r, h, n, group_of(heads, n));
    gradient_arrays(&p, all);
    if (memory_exceeded_by(bytes_on_host(all, ON_THE_HOST, GRADIENT_ARRAYS),
                           why))
        return fail_step(mem, MEMORY_FULL, "out of memory: in all %s", why);
    if (!arrays_on_host(all, ON_THE_HOST))
        fail_step(mem, MEMORY_FULL, "no memory for the padded heads");
    else
        run_padded(r, &p, heads, mem);
    for (int a = 0; a < ON_THE_HOST; a++)
        free(*all[a].at);
    return mem->error;
}

#ifndef CUDA_ON_CPU /* on a GPU nothing is counted */
#define backward_atomics_traffic      NULL
#define backward_two_kernels_traffic  NULL
#define backward_tensor_cores_traffic NULL
#define backward_wgmma_traffic        NULL
#define backward_reduce_traffic       NULL
#endif

/* The forward step that computes O and L for the backward rungs. */
static const attention_step before = {
    .name = "flash2", .run = flash2, .tiles = flash2_tiles};

#define RUNG(name_, idea_, products_)                                          \
    {                                                                          \
        .name = #name_, .idea = idea_, .run_heads = run_heads,                 \
        .formula = name_##_traffic, .forward = &before, .products = products_  \
    }
const backward_step chapter_07_backward[] = {
    RUNG(backward_atomics, "one thread per key; atomics sum dQ in HBM", 5),
    RUNG(backward_two_kernels, "dQ, then dK and dV: each sum in registers", 7),
    RUNG(backward_tensor_cores, "mma.sync: 16 keys per warp, S transposed", 5),
    RUNG(backward_wgmma, "wgmma and TMA, in two kernels", 7),
    RUNG(backward_reduce, "one kernel; TMA sums dQ in HBM", 5),
    {0},
};
