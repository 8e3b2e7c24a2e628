/* The rungs as attention steps (steps.h). */
#include "07_cuda/steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "07_cuda/host/device.h"
#include "07_cuda/host/padded.h"
#include "07_cuda/host/traffic.h"
#include "common/memory_limit.h"

/* Adds the bytes to mem's counts, in elements. Two bytes of scratch count as
 * one element. */
static void count_elements(memory *mem, const rung_bytes *bytes, precision type)
{
    for (int a = 0; a < ARRAYS; a++) {
        bool wide = type == FP32 || (a >= L_OUT && a != SCRATCH);
        size_t size = wide ? 4 : 2;

        mem->counts.read[ALGORITHM] += bytes->loaded[a] / size;
        mem->counts.written[ALGORITHM] += bytes->stored[a] / size;
    }
    mem->counts.read[ALGORITHM] += bytes->own_loaded / sizeof(float);
    mem->counts.written[ALGORITHM] += bytes->own_stored / sizeof(float);
}

static const rung *rung_named(const char *name)
{
    const rung *r = ladder;

    while (strcmp(r->name, name) != 0)
        r++;
    return r;
}

const char *rung_number(const char *name)
{
    return rung_named(name)->number;
}

static struct cuda_counts last_run[RUNGS];

struct cuda_counts rung_counts(const char *name)
{
    return last_run[rung_named(name) - ladder];
}

/* Returns the bytes on the host that a run of the rung needs for a layer. */
static double bytes_of(const rung *r, precision type, const layer *l)
{
    rung_problem p = sized_as(l, type, columns_of(&r->needs, &l->each));
    double S = (double)p.heads * (double)p.Nq * (double)p.Nk * sizeof(float);
    device_array all[ARRAYS];

    rung_arrays(&p, all);
#ifndef CUDA_ON_CPU
    S = 0; /* it is in the GPU's memory */
#endif
    return bytes_on_host(all, L_OUT + 1, ARRAYS) +
           (r == &ladder[RUNG_standard] ? S : 0);
}

double ladder_bytes(const head *h, const char *only)
{
    const layer l = layer_of(h);
    double most = 0;

    for (const attention_step *s = ladder_steps(BF16); s->name; s++)
        if (!only || strcmp(only, s->name) == 0)
            most = fmax(most, bytes_of(rung_named(s->name), s->type, &l));
    return most;
}

int rung_layer(const rung *r, precision type, const layer *l, memory *mem)
{
    char why[MEMORY_WHY];
    rung_problem p;
    rung_bytes bytes;
    int error;

    if (heads_of(l) == 0)
        return 0;
    const head first = head_at(l, 0);

    if (refuse_heads(&first, heads_of(l), &r->needs, "04 to 06", mem))
        return mem->error;
    if (memory_exceeded_by(bytes_of(r, type, l), why))
        return fail_step(mem, MEMORY_FULL, "out of memory: in all %s", why);
    if (padded_from(&p, l, type, columns_of(&r->needs, &l->each))) {
        padded_free(&p);
        return fail_step(mem, MEMORY_FULL, "no memory for the padded heads");
    }
    error = rung_on_device(r->run, &p, &bytes);
    if (error)
        fail_step(mem, MEMORY_FULL, "%s", device_error(error));
    else {
#ifdef CUDA_ON_CPU
        last_run[r - ladder] = cuda_on_cpu_counts();
#endif
        padded_to(l, &p);
        count_elements(mem, &bytes, type);
    }
    padded_free(&p);
    return mem->error;
}

/* fp8 has no closed form per head, because the heads of a group share K and V
 * in its pre-pass. split_kv has none, because its parts depend on the GPU. */
static traffic_fn *const traffic_of[RUNGS] = {
    [RUNG_standard] = in_three_launches, [RUNG_flash1] = flash1_traffic,
    [RUNG_flash2] = flash2_traffic,      [RUNG_float4] = flash2_traffic,
    [RUNG_warp_tiles] = flash2_traffic,  [RUNG_sliced_k] = flash2_traffic,
    [RUNG_split_q] = flash2_traffic,     [RUNG_swizzle] = flash2_traffic,
    [RUNG_cp_async] = flash2_traffic,    [RUNG_full] = flash2_traffic,
    [RUNG_wgmma] = in_whole_tiles,       [RUNG_roles] = in_whole_tiles,
    [RUNG_pingpong] = in_whole_tiles,
};

counts rung_traffic(const rung *r, const layer *l)
{
    counts sum = {0};

    for (size_t nth = 0; nth < heads_of(l); nth++) {
        head h = head_at(l, nth);
        int D = columns_of(&r->needs, &h);
        counts one;

        h.d = h.dv = (size_t)D;
        one = traffic_of[r - ladder](
            &h, (tile_sizes){(size_t)rung_Br(r, D), (size_t)rung_Bc(r, D)});
        for (int b = 0; b < ACCOUNTS; b++) {
            sum.read[ALGORITHM] += one.read[b];
            sum.written[ALGORITHM] += one.written[b];
        }
    }
    return sum;
}

static int run_step(const attention_step *step, const layer *l, memory *mem)
{
    return rung_layer(rung_named(step->name), step->type, l, mem);
}

#ifdef CUDA_ON_CPU
static counts traffic_of_step(const attention_step *step, const layer *l)
{
    return rung_traffic(rung_named(step->name), l);
}
#else /* a GPU counts nothing */
static counts (*const traffic_of_step)(const attention_step *,
                                       const layer *) = NULL;
#endif

const attention_step *ladder_steps(precision type)
{
    static attention_step steps[2][RUNGS + 1];
    attention_step *in_type = steps[type == FP16];

    for (int k = 0, n = 0; k < RUNGS; k++)
        if (widest_here(&ladder[k].needs) > 0)
            in_type[n++] = (attention_step){
                .name = ladder[k].name,
                .type = rung_type(&ladder[k], type),
                .idea = ladder[k].idea,
                .run_layer = run_step,
                .layer_formula = traffic_of[k] ? traffic_of_step : NULL,
            };
    return in_type;
}

const attention_step *step_of(int r, precision type)
{
    for (const attention_step *s = ladder_steps(type); s->name; s++)
        if (strcmp(s->name, ladder[r].name) == 0)
            return s;
    return NULL;
}
