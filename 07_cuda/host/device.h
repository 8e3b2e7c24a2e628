/*
 * Runs a rung on arrays of the host: copies them to the device, runs the rung,
 * and copies O and L back.
 */
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "07_cuda/host/card.h"

/* The arrays of a rung_problem. */
enum { Q_IN, K_IN, V_IN, O_OUT, L_OUT, M_STATE, L_STATE, SCRATCH, ARRAYS };

/* Bytes that a rung moved, as the emulator counted; 0 on a GPU. own_: bytes of
 * float arrays that the rung allocates. */
typedef struct {
    uint64_t loaded[ARRAYS], stored[ARRAYS];
    uint64_t own_loaded, own_stored;
} rung_bytes;

/* An array of a problem. */
typedef struct device_array {
    const char *name; /* in the emulator's reports */
    void **at;        /* the problem's pointer to it */
    size_t n, size;   /* numbers, and bytes of one */
    bool in;          /* it is copied to the device */
    bool out;         /* it is copied back to the host */
} device_array;

#ifdef __cplusplus
#include <functional>

/*
 * Calls run() while n arrays are on the device instead of on the host. Returns
 * 0, or the first cudaError_t; outputs are then undefined.
 */
int run_on_device(device_array a[], int n, const std::function<int()> &run);

extern "C" {
#endif

/* Allocates the arrays on the host. False if there is no memory. The caller
 * must free all of them in both cases. */
bool arrays_on_host(device_array a[], int n);

/*
 * Runs the rung on arrays of the host; m and l are not used. p->scratch, if not
 * NULL, is copied to the device and back. bytes may be NULL. Returns 0, or a
 * cudaError_t; O and L are then undefined.
 */
int rung_on_device(rung_fn *run, const rung_problem *p, rung_bytes *bytes);

/* True if this machine can run a kernel with this demand at D columns. If not,
 * stores the reason in why, unless it is NULL (card.h). The CPU runs all
 * kernels, or those of the card in CUDA_ON_CPU_CARD. If no GPU is found, the
 * program ends with one line and NO_DEVICE. */
enum { NO_DEVICE = 3 };
bool runs_here(const demand *n, int D, char why[REASON]);

/* widest_here returns the largest number of columns that can run, or 0.
 * print_left_out prints one line with the columns that cannot run, and the
 * reason; nothing if all can. */
int widest_here(const demand *n);
void print_left_out(FILE *to, const char *name, const demand *n);

/* The GPU's name, or "the CPU (cuda_on_cpu)". */
const char *device_name(void);

/* True if Hopper's rungs run here; else prints the reason. For programs that
 * run only these. */
bool hopper_runs_here(void);

/* Returns the size of scratch that is enough for any rung. */
size_t scratch_bytes(const rung_problem *p);

/* Stores a description of p's arrays in all. */
void rung_arrays(rung_problem *p, device_array all[ARRAYS]);

const char *device_error(int error);

#ifdef __cplusplus
}
#endif
#endif
