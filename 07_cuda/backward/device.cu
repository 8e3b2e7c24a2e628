/*
 * A rung of the way back on arrays of the host's (gradient_rung.h).
 */
#include <cuda_runtime.h>

#include "07_cuda/backward/gradient_rung.h"
#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"

enum { Q, K, V, O, L, DO, DQ, DK, DV, DOTS, SUM, ARRAYS };

/* Where p keeps each array, how many bytes it has, and what it is called. */
static void arrays_of(gradient_problem *p, void **at[ARRAYS],
                      size_t size[ARRAYS])
{
    rung_problem *f = &p->forward;
    size_t queries = (size_t)f->heads * f->Nq;
    size_t keys = (size_t)(f->heads / f->group) * f->Nk;
    size_t row = (size_t)f->D * (f->type == FP32 ? 4 : 2);
    void **const all[ARRAYS] = {(void **)&f->Q,
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

    for (int a = 0; a < ARRAYS; a++) {
        at[a] = all[a];
        size[a] = a == L || a == DOTS ? queries * sizeof(float)
                  : a == SUM          ? queries * f->D * sizeof(float)
                  : a == K || a == V || a == DK || a == DV ? keys * row
                                                           : queries * row;
    }
}

static void count(gradient_moved *moved, void **const at[ARRAYS],
                  precision type)
{
    *moved = gradient_moved();
#ifdef CUDA_ON_CPU
    for (int a = 0; a < ARRAYS; a++) {
        bool wide = type == FP32 || a == L || a == DOTS || a == SUM;
        cuda_array_counts c = cuda_on_cpu_array_counts(*at[a]);

        moved->loaded += c.loaded / (wide ? 4 : 2);
        moved->stored += c.stored / (wide ? 4 : 2);
    }
    moved->added = cuda_on_cpu_counts().global_atomics / sizeof(float);
#else
    (void)at;
    (void)type;
#endif
}

int gradients_on_device(gradient_fn *run, const gradient_problem *p,
                        gradient_moved *moved)
{
    static const char *const names[ARRAYS] = {
        "Q", "K", "V", "O", "L", "dO", "dQ", "dK", "dV", "D", "the sum of dQ"};
    gradient_problem there = *p, here = *p;
    void **device[ARRAYS], **host[ARRAYS];
    size_t size[ARRAYS];
    int error = cudaSuccess;

    arrays_of(&here, host, size);
    arrays_of(&there, device, size);
    for (int a = 0; a < ARRAYS; a++)
        *device[a] = nullptr;
    for (int a = 0; a < ARRAYS && !error; a++) {
        error = cudaMalloc(device[a], size[a] ? size[a] : 1);
        if (!error)
            cuda_on_cpu_name(*device[a], names[a]);
        if (!error && a <= DO && size[a])
            error = cudaMemcpy(*device[a], *host[a], size[a],
                               cudaMemcpyHostToDevice);
    }
    if (!error) {
        cuda_on_cpu_add_launches(1);
        error = run(&there);
        cuda_on_cpu_add_launches(0);
    }
    if (!error)
        error = cudaDeviceSynchronize();
    if (!error && moved)
        count(moved, device, p->forward.type);
    for (int a = DQ; a <= DV && !error; a++)
        error =
            cudaMemcpy(*host[a], *device[a], size[a], cudaMemcpyDeviceToHost);
    for (int a = 0; a < ARRAYS; a++)
        cudaFree(*device[a]);
    return error;
}
