/* Runs a backward rung on arrays of the host (gradient_rung.h). */
#include <cuda_runtime.h>

#include "07_cuda/backward/gradient_rung.h"
#include <cuda_on_cpu.h>
#include "07_cuda/host/device.h"

void gradient_arrays(gradient_problem *p, device_array all[GRADIENT_ARRAYS])
{
    rung_problem *f = &p->forward;
    size_t narrow = f->type == FP32 ? sizeof(float) : 2, wide = sizeof(float);
    size_t rows = (size_t)f->heads * f->Nq, queries = rows * f->D;
    size_t keys = (size_t)(f->heads / f->group) * f->Nk * f->D;
    const device_array these[GRADIENT_ARRAYS] = {
        {"Q", (void **)&f->Q, queries, narrow, true, false},
        {"K", (void **)&f->K, keys, narrow, true, false},
        {"V", (void **)&f->V, keys, narrow, true, false},
        {"O", &f->O, queries, narrow, true, false},
        {"L", (void **)&f->L, rows, wide, true, false},
        {"dO", (void **)&p->dO, queries, narrow, true, false},
        {"dQ", &p->dQ, queries, narrow, false, true},
        {"dK", &p->dK, keys, narrow, false, true},
        {"dV", &p->dV, keys, narrow, false, true},
        {"D", (void **)&p->D, rows, wide, false, false},
        {"the sum of dQ", (void **)&p->dQ_sum, queries, wide, false, false},
    };

    for (int a = 0; a < GRADIENT_ARRAYS; a++)
        all[a] = these[a];
}

static void count(gradient_moved *moved, const device_array all[])
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
    device_array all[GRADIENT_ARRAYS];

    gradient_arrays(&there, all);
    return run_on_device(all, GRADIENT_ARRAYS, [&] {
        int error = run(&there);

        if (!error && moved)
            count(moved, all);
        return error;
    });
}
