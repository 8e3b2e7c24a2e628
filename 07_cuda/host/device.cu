/* Runs rungs on arrays of the host, and finds which can run here (device.h). */
#include "07_cuda/host/device.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include <cuda_on_cpu.h>
#include "07_cuda/fp8/fp8.h"

size_t scratch_bytes(const rung_problem *p)
{
    return fp8_in(p).bytes;
}

void rung_arrays(rung_problem *p, device_array all[ARRAYS])
{
    size_t rows = (size_t)p->heads * p->Nq, queries = rows * p->D;
    size_t keys = (size_t)(p->heads / p->group) * p->Nk * p->D;
    size_t narrow = p->type == FP32 ? sizeof(float) : 2, wide = sizeof(float);
    bool has_scratch = p->scratch != nullptr;
    const device_array arrays[ARRAYS] = {
        {"Q", (void **)&p->Q, queries, narrow, p->Q != nullptr, false},
        {"K", (void **)&p->K, keys, narrow, p->K != nullptr, false},
        {"V", (void **)&p->V, keys, narrow, p->V != nullptr, false},
        {"O", &p->O, queries, narrow, false, true},
        {"L", (void **)&p->L, rows, wide, false, true},
        {"m", (void **)&p->m, rows, wide, false, false},
        {"l", (void **)&p->l, rows, wide, false, false},
        {"scratch", &p->scratch, scratch_bytes(p), 1, has_scratch, has_scratch},
    };

    std::copy(arrays, arrays + ARRAYS, all);
}

bool arrays_on_host(device_array a[], int n)
{
    bool allocated = true;

    for (int k = 0; k < n; k++) {
        size_t bytes = a[k].n * a[k].size;

        *a[k].at = malloc(bytes ? bytes : 1);
        allocated = allocated && *a[k].at;
    }
    return allocated;
}

double bytes_on_host(const device_array a[], int n, int all_n)
{
    double bytes = 0;

    for (int k = 0; k < all_n; k++) {
        double one = (double)a[k].n * (double)a[k].size;

        bytes += k < n ? one : 0;
#ifdef CUDA_ON_CPU
        bytes += one;
#endif
    }
    return bytes;
}

/* Allocates an array on the device. If a->in, copies `host` to the array. */
static int to_device(device_array *a, const void *host)
{
    size_t bytes = a->n * a->size;
    int error = cudaMalloc(a->at, bytes ? bytes : 1);

    if (!error)
        cuda_on_cpu_name(*a->at, a->name);
    if (!error && a->in && bytes)
        error = cudaMemcpy(*a->at, host, bytes, cudaMemcpyHostToDevice);
    return error;
}

int run_on_device(device_array a[], int n, const std::function<int()> &run)
{
    std::vector<void *> host(n);
    int error = cudaSuccess;

    for (int k = 0; k < n; k++)
        std::swap(host[k], *a[k].at);
    for (int k = 0; k < n && !error; k++)
        error = to_device(&a[k], host[k]);
    if (!error) {
        cuda_on_cpu_add_launches(1);
        error = run();
        cuda_on_cpu_add_launches(0);
    }
    if (!error)
        error = cudaDeviceSynchronize();
    for (int k = 0; k < n && !error; k++)
        if (a[k].out)
            error = cudaMemcpy(host[k], *a[k].at, a[k].n * a[k].size,
                               cudaMemcpyDeviceToHost);
    for (int k = 0; k < n; k++) {
        int freed = cudaFree(*a[k].at);

        error = error ? error : freed;
        *a[k].at = host[k];
    }
    return error;
}

static void count_bytes(rung_bytes *bytes, const device_array all[ARRAYS])
{
    *bytes = rung_bytes();
#ifdef CUDA_ON_CPU
    bytes->own_loaded = cuda_on_cpu_counts().global_loaded;
    bytes->own_stored = cuda_on_cpu_counts().global_stored;
    for (int a = 0; a < ARRAYS; a++) {
        cuda_array_counts c = cuda_on_cpu_array_counts(*all[a].at);

        bytes->loaded[a] = c.loaded;
        bytes->stored[a] = c.stored;
        bytes->own_loaded -= c.loaded;
        bytes->own_stored -= c.stored;
    }
#else
    (void)all;
#endif
}

int rung_on_device(rung_fn *run, const rung_problem *p, rung_bytes *bytes)
{
    rung_problem on_device = *p;
    device_array all[ARRAYS];

    rung_arrays(&on_device, all);
    return run_on_device(all, ARRAYS, [&] {
        int error = run(&on_device);

        if (!error && bytes)
            count_bytes(bytes, all);
        return error;
    });
}

#ifdef CUDA_ON_CPU
/* Returns the card that CUDA_ON_CPU_CARD names, after limiting shared memory to
 * the card's, or NULL without a name. Exits with status 2 if no card has it. */
static const card *this_card()
{
    const char *name = getenv("CUDA_ON_CPU_CARD");
    const card *c = cards;

    if (!name || !*name)
        return nullptr;
    while (c->name && strcmp(c->name, name) != 0)
        c++;
    if (!c->name) {
        fprintf(stderr, "CUDA_ON_CPU_CARD: no such card; allowed are");
        for (c = cards; c->name; c++)
            fprintf(stderr, " '%s'", c->name);
        fprintf(stderr, "\n");
        exit(2);
    }
    cuda_on_cpu_most_shared(c->KiB * 1024);
    return c;
}

const char *device_name(void)
{
    return "the CPU (cuda_on_cpu)";
}
#else
static int attribute(cudaDeviceAttr what)
{
    int value = 0, error = cudaDeviceGetAttribute(&value, what, 0);

    if (error) {
        fprintf(stderr, "the GPU does not report its properties: %s\n",
                device_error(error));
        exit(NO_DEVICE);
    }
    return value;
}

static const card *this_card()
{
    static const card gpu = {
        device_name(),
        10 * attribute(cudaDevAttrComputeCapabilityMajor) +
            attribute(cudaDevAttrComputeCapabilityMinor),
        attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) / 1024};

    return &gpu;
}

const char *device_name(void)
{
    static cudaDeviceProp device;

    return cudaGetDeviceProperties(&device, 0) ? "unknown GPU" : device.name;
}
#endif

bool runs_here(const demand *n, int D, char why[REASON])
{
    static const card *const current = this_card();
    char unread[REASON];

#if defined __CUDACC_VER_MAJOR__ &&                                            \
    100 * __CUDACC_VER_MAJOR__ + __CUDACC_VER_MINOR__ < 1206
    if (n->capability == HOPPER) { /* ptx_hopper_gpu.h */
        snprintf(why ? why : unread, REASON, "needs CUDA 12.6 or later");
        return false;
    }
#endif
    return !current || card_runs(current, n, D, why ? why : unread);
}

int widest_here(const demand *n)
{
    int D = 0;

    for (int k = 0; k < HEAD_SIZES; k++)
        if (n->KiB[k] > 0 && runs_here(n, head_size[k], nullptr))
            D = head_size[k];
    return D;
}

void print_left_out(FILE *to, const char *name, const demand *n)
{
    const int widest = widest_here(n), D = columns_for(n, widest + 1);
    char why[REASON], at[20] = "";

    if (D == 0 || runs_here(n, D, why))
        return;
    if (widest > 0)
        snprintf(at, sizeof at, " at d %d", D);
    fprintf(to, "left out: %s%s: %s\n", name, at, why);
}

bool hopper_runs_here(void)
{
    const rung *first = &ladder[FIRST_HOPPER];

    print_left_out(stdout, "Hopper's rungs", &first->needs);
    return widest_here(&first->needs) > 0;
}

const char *device_error(int error)
{
    return cudaGetErrorString((cudaError_t)error);
}
