/* Runs rungs on arrays of the host, and finds which rungs can run here. */
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "07_cuda/rung.h"

enum { Q_IN, K_IN, V_IN, O_OUT, L_OUT, M_STATE, L_STATE, SCRATCH, ARRAYS };

/* Bytes that a rung moved, counted by the emulator; 0 on a GPU. own_loaded and
 * own_stored are the bytes of float arrays that the rung itself allocates. */
typedef struct {
    uint64_t loaded[ARRAYS], stored[ARRAYS];
    uint64_t own_loaded, own_stored;
} rung_bytes;

typedef struct device_array {
    const char *name;
    void **at;      /* the problem's pointer to it */
    size_t n, size; /* number of elements, and bytes of one */
    bool in;        /* it is copied to the device */
    bool out;       /* it is copied back to the host */
} device_array;

#ifdef __cplusplus
#include <functional>

/* Allocates n arrays on the device, copies inputs to them, calls run(), and
 * copies outputs back. During the call *a[k].at is an address on the device.
 * Returns 0 or the first cudaError_t. After an error outputs are undefined. */
int run_on_device(device_array a[], int n, const std::function<int()> &run);

extern "C" {
#endif

typedef struct {
    const char *name;
    int capability; /* 10 times the compute capability */
    int KiB;        /* shared memory that one block may have, in KiB */
} card;

/* In the order of shared memory; {0} ends the list. Source: CUDA C++
 * Programming Guide, "Technical Specifications per Compute Capability". */
extern const card cards[];

/* True if the card can run a kernel with this demand at D columns. If it
 * cannot, stores the reason. */
enum { REASON = 100 };
bool card_runs(const card *c, const demand *n, int D, char why[REASON]);

/* Allocates the arrays on the host. Returns false if there is no memory. The
 * caller frees them in both cases. */
bool arrays_on_host(device_array a[], int n);

/* Returns the bytes of n arrays on the host, of which all_n exist on the device.
 * The memory of a GPU does not count; that of the emulator does. */
double bytes_on_host(const device_array a[], int n, int all_n);

/* Runs the rung on arrays of the host. It does not use p->m and p->l. If
 * p->scratch is not NULL, it is copied to the device and back. bytes may be
 * NULL. Returns 0 or a cudaError_t. After an error O and L are undefined. */
int rung_on_device(rung_fn *run, const rung_problem *p, rung_bytes *bytes);

/* True if this machine can run a kernel with this demand at D columns. If not,
 * stores the reason in why, unless it is NULL. The CPU runs all kernels, or
 * those of the card in CUDA_ON_CPU_CARD. Without a GPU a GPU program exits
 * with NO_DEVICE. */
enum { NO_DEVICE = 3 };
bool runs_here(const demand *n, int D, char why[REASON]);

/* widest_here returns the largest number of columns that can run here, or 0.
 * If a number cannot run, print_left_out prints a line with the reason. */
int widest_here(const demand *n);
void print_left_out(FILE *to, const char *name, const demand *n);

/* Returns the name of the GPU, or "the CPU (cuda_on_cpu)". */
const char *device_name(void);

/* True if Hopper's rungs run here. Prints the reason on stdout if not. */
bool hopper_runs_here(void);

/* Returns a number of bytes of scratch that is enough for any rung. */
size_t scratch_bytes(const rung_problem *p);

/* Stores a description of each array of p in `all`. */
void rung_arrays(rung_problem *p, device_array all[ARRAYS]);

const char *device_error(int error);

/* What a rung returns that was not compiled (nvcc.sh): no kernel image. */
enum { NO_KERNEL = 209 };

#ifdef __cplusplus
}
#endif
#endif
