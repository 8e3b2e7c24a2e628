/*
 * A rung on arrays of the host's (device.h).
 */
#include "07_cuda/host/device.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/fp8/fp8.h"

size_t scratch_bytes(const rung_problem *p)
{
    return fp8_in(p).bytes;
}

void rung_arrays(const rung_problem *p, void *at[ARRAYS], size_t size[ARRAYS])
{
    size_t queries = (size_t)p->heads * p->Nq;
    size_t keys = (size_t)(p->heads / p->group) * p->Nk;
    size_t row = (size_t)p->D * (p->type == FP32 ? 4 : 2);

    at[Q_IN] = (void *)p->Q;
    at[K_IN] = (void *)p->K;
    at[V_IN] = (void *)p->V;
    at[O_OUT] = p->O;
    at[L_OUT] = p->L;
    at[M_STATE] = p->m;
    at[L_STATE] = p->l;
    at[SCRATCH] = p->scratch;
    size[Q_IN] = size[O_OUT] = queries * row;
    size[K_IN] = size[V_IN] = keys * row;
    size[L_OUT] = size[M_STATE] = size[L_STATE] = queries * sizeof(float);
    size[SCRATCH] = scratch_bytes(p);
}

static rung_problem problem_at(const rung_problem *p, void *const at[ARRAYS])
{
    rung_problem q = *p;

    q.Q = at[Q_IN];
    q.K = at[K_IN];
    q.V = at[V_IN];
    q.O = at[O_OUT];
    q.L = (float *)at[L_OUT];
    q.m = (float *)at[M_STATE];
    q.l = (float *)at[L_STATE];
    q.scratch = at[SCRATCH];
    return q;
}

static void count_bytes(rung_bytes *bytes, void *const at[ARRAYS])
{
    *bytes = rung_bytes();
#ifdef CUDA_ON_CPU
    bytes->own_loaded = cuda_on_cpu_counts().global_loaded;
    bytes->own_stored = cuda_on_cpu_counts().global_stored;
    for (int a = 0; a < ARRAYS; a++) {
        cuda_array_counts c = cuda_on_cpu_array_counts(at[a]);

        bytes->loaded[a] = c.loaded;
        bytes->stored[a] = c.stored;
        bytes->own_loaded -= c.loaded;
        bytes->own_stored -= c.stored;
    }
#else
    (void)at;
#endif
}

int arrays_to_device(device_array a[], int n)
{
    int error = cudaSuccess;

    for (int k = 0; k < n && !error; k++) {
        error = cudaMalloc(&a[k].device, a[k].size ? a[k].size : 1);
        if (!error)
            cuda_on_cpu_name(a[k].device, a[k].name);
        if (!error && a[k].in && a[k].size)
            error = cudaMemcpy(a[k].device, a[k].host, a[k].size,
                               cudaMemcpyHostToDevice);
    }
    return error;
}

int arrays_from_device(device_array a[], int n, int error)
{
    for (int k = 0; k < n && !error; k++)
        if (a[k].out)
            error = cudaMemcpy(a[k].host, a[k].device, a[k].size,
                               cudaMemcpyDeviceToHost);
    for (int k = 0; k < n; k++) {
        int freed = cudaFree(a[k].device);

        error = error ? error : freed;
    }
    return error;
}

int rung_on_device(rung_fn *run, const rung_problem *p, rung_bytes *bytes)
{
    static const char *const names[ARRAYS] = {"Q", "K", "V", "O",
                                              "L", "m", "l", "scratch"};
    void *host[ARRAYS], *device[ARRAYS];
    size_t size[ARRAYS];
    device_array arrays[ARRAYS];
    int error;

    rung_arrays(p, host, size);
    for (int a = 0; a < ARRAYS; a++) {
        bool kept = a == SCRATCH && host[a];

        arrays[a] = {names[a],
                     host[a],
                     size[a],
                     (a <= V_IN && host[a]) || kept,
                     a == O_OUT || a == L_OUT || kept,
                     nullptr};
    }
    error = arrays_to_device(arrays, ARRAYS);
    for (int a = 0; a < ARRAYS; a++)
        device[a] = arrays[a].device;
    if (!error) {
        rung_problem q = problem_at(p, device);

        cuda_on_cpu_add_launches(1);
        error = run(&q);
        cuda_on_cpu_add_launches(0);
    }
    if (!error)
        error = cudaDeviceSynchronize();
    if (!error && bytes)
        count_bytes(bytes, device);
    return arrays_from_device(arrays, ARRAYS, error);
}

#ifndef CUDA_ON_CPU
/* What no program can go on without. */
static int attribute(cudaDeviceAttr what)
{
    int value = 0, error = cudaDeviceGetAttribute(&value, what, 0);

    if (error) {
        fprintf(stderr, "the GPU can't be asked what it is: %s\n",
                device_error(error));
        exit(NO_DEVICE);
    }
    return value;
}
#endif

bool rung_runs_here(const rung *r)
{
#ifdef CUDA_ON_CPU
    (void)r;
    return true;
#else
    return !r->hopper || (attribute(cudaDevAttrComputeCapabilityMajor) == 9 &&
                          attribute(cudaDevAttrComputeCapabilityMinor) == 0);
#endif
}

bool hopper_runs_here(void)
{
    bool here = rung_runs_here(&ladder[FIRST_HOPPER]);

    if (!here)
        puts("no rung here is for Hopper");
    return here;
}

const char *device_error(int error)
{
    return cudaGetErrorString((cudaError_t)error);
}
