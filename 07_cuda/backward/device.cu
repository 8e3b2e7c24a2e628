/*
 * A rung of the way back on arrays of the host's (gradient_rung.h).
 */
#include <cuda_runtime.h>

#include "07_cuda/backward/gradient_rung.h"
#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/host/device.h"

enum { Q, K, V, O, L, DO, DQ, DK, DV, DOTS, SUM, PLACES };

/* fp32, whatever the type of the others. */
static bool is_wide(int a, precision type)
{
    return type == FP32 || a == L || a == DOTS || a == SUM;
}

/* Where p keeps each array. */
static void places_of(gradient_problem *p, void **at[PLACES])
{
    rung_problem *f = &p->forward;
    void **const all[PLACES] = {(void **)&f->Q,
                                (void **)&f->K,
                                (void **)&f->V,
                                &f->O,
                                (void **)&f->L,
                                (void **)&p->dO,
                                &p->dQ,
                                &p->dK,
                                &p->dV,
                                (void **)&p->D,
                                (void **)&p->dQ_sum};

    for (int a = 0; a < PLACES; a++)
        at[a] = all[a];
}

static size_t bytes_of_array(int a, const rung_problem *f)
{
    bool of_keys = a == K || a == V || a == DK || a == DV;
    size_t rows = of_keys ? (size_t)(f->heads / f->group) * f->Nk
                          : (size_t)f->heads * f->Nq;
    size_t columns = a == L || a == DOTS ? 1 : f->D;

    return rows * columns * (is_wide(a, f->type) ? sizeof(float) : 2);
}

static void count(gradient_moved *moved, const device_array arrays[PLACES],
                  precision type)
{
    *moved = gradient_moved();
#ifdef CUDA_ON_CPU
    for (int a = 0; a < PLACES; a++) {
        cuda_array_counts c = cuda_on_cpu_array_counts(arrays[a].device);

        moved->loaded += c.loaded / (is_wide(a, type) ? 4 : 2);
        moved->stored += c.stored / (is_wide(a, type) ? 4 : 2);
    }
    moved->added = cuda_on_cpu_counts().global_atomics / sizeof(float);
#else
    (void)arrays;
    (void)type;
#endif
}

int gradients_on_device(gradient_fn *run, const gradient_problem *p,
                        gradient_moved *moved)
{
    static const char *const names[PLACES] = {
        "Q", "K", "V", "O", "L", "dO", "dQ", "dK", "dV", "D", "the sum of dQ"};
    gradient_problem there = *p;
    device_array arrays[PLACES];
    void **at[PLACES];
    int error;

    places_of(&there, at);
    for (int a = 0; a < PLACES; a++)
        arrays[a] = {
            names[a],           *at[a], bytes_of_array(a, &p->forward), a <= DO,
            a >= DQ && a <= DV, nullptr};
    error = arrays_to_device(arrays, PLACES);
    for (int a = 0; a < PLACES; a++)
        *at[a] = arrays[a].device;
    if (!error) {
        cuda_on_cpu_add_launches(1);
        error = run(&there);
        cuda_on_cpu_add_launches(0);
    }
    if (!error)
        error = cudaDeviceSynchronize();
    if (!error && moved)
        count(moved, arrays, p->forward.type);
    return arrays_from_device(arrays, PLACES, error);
}
