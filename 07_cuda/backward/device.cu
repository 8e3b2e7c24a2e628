/*
 * A rung of the way back on arrays of the host's (gradient_rung.h).
 */
#include <cuda_runtime.h>

#include "07_cuda/backward/gradient_rung.h"
#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/host/device.h"

void gradient_arrays(gradient_problem *p, gradient_array all[GRADIENT_ARRAYS])
{
    rung_problem *f = &p->forward;
    size_t narrow = f->type == FP32 ? sizeof(float) : 2, wide = sizeof(float);
    size_t rows = (size_t)f->heads * f->Nq, queries = rows * f->D;
    size_t keys = (size_t)(f->heads / f->group) * f->Nk * f->D;
    const gradient_array these[GRADIENT_ARRAYS] = {
        {"Q", (void **)&f->Q, queries, narrow},
        {"K", (void **)&f->K, keys, narrow},
        {"V", (void **)&f->V, keys, narrow},
        {"O", &f->O, queries, narrow},
        {"L", (void **)&f->L, rows, wide},
        {"dO", (void **)&p->dO, queries, narrow},
        {"dQ", &p->dQ, queries, narrow},
        {"dK", &p->dK, keys, narrow},
        {"dV", &p->dV, keys, narrow},
        {"D", (void **)&p->D, rows, wide},
        {"the sum of dQ", (void **)&p->dQ_sum, queries, wide},
    };

    for (int a = 0; a < GRADIENT_ARRAYS; a++)
        all[a] = these[a];
}

static void count(gradient_moved *moved, const gradient_array all[])
{
    *moved = gradient_moved();
#ifdef CUDA_ON_CPU
    for (int a = 0; a < GRADIENT_ARRAYS; a++) {
        cuda_array_counts c = cuda_on_cpu_array_counts(*all[a].at);

        moved->loaded += c.loaded / all[a].size;
        moved->stored += c.stored / all[a].size;
    }
    moved->added = cuda_on_cpu_counts().global_atomics / sizeof(float);
#else
    (void)all;
#endif
}

int gradients_on_device(gradient_fn *run, const gradient_problem *p,
                        gradient_moved *moved)
{
    gradient_problem there = *p;
    gradient_array all[GRADIENT_ARRAYS];
    device_array arrays[GRADIENT_ARRAYS];
    int error;

    gradient_arrays(&there, all);
    for (int a = 0; a < GRADIENT_ARRAYS; a++)
        arrays[a] = {all[a].name,
                     *all[a].at,
                     all[a].n * all[a].size,
                     a < FIRST_GRADIENT,
                     a >= FIRST_GRADIENT && a < ON_THE_HOST,
                     nullptr};
    error = arrays_to_device(arrays, GRADIENT_ARRAYS);
    for (int a = 0; a < GRADIENT_ARRAYS; a++)
        *all[a].at = arrays[a].device;
    if (!error) {
        cuda_on_cpu_add_launches(1);
        error = run(&there);
        cuda_on_cpu_add_launches(0);
    }
    if (!error)
        error = cudaDeviceSynchronize();
    if (!error && moved)
        count(moved, all);
    return arrays_from_device(arrays, GRADIENT_ARRAYS, error);
}
