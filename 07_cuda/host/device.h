/*
 * A rung on arrays of the host's: they are copied to the device, the rung
 * runs, O and L are copied back.
 */
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "07_cuda/host/card.h"

/* The arrays of a rung_problem. */
enum { Q_IN, K_IN, V_IN, O_OUT, L_OUT, M_STATE, L_STATE, SCRATCH, ARRAYS };

/* Bytes that a rung moved, as the emulator counted; 0 on a GPU. own: in
 * arrays that it makes for itself, of floats. */
typedef struct {
    uint64_t loaded[ARRAYS], stored[ARRAYS];
    uint64_t own_loaded, own_stored;
} rung_bytes;

/* An array of a problem. */
typedef struct device_array {
    const char *name; /* in what the emulator finds */
    void **at;        /* where the problem keeps it */
    size_t n, size;   /* numbers, and bytes of one */
    bool in;          /* it is there before the kernels run */
    bool out;         /* it comes back */
} device_array;

#ifdef __cplusplus
#include <functional>

/*
 * Runs with n arrays on the device in place of the host's. Returns the first
 * error, a cudaError_t; what comes back is then undefined.
 */
int run_on_device(device_array a[], int n, const std::function<int()> &run);

extern "C" {
#endif

/* Room on the host, for free() in any case; false without memory. */
bool arrays_on_host(device_array a[], int n);

/*
 * p's pointers are the host's (m and l are not used). What p->scratch holds,
 * if it is not NULL, is there before the rung runs, and comes back. Returns 0,
 * or the cudaError_t; O and L are then undefined. bytes may be NULL.
 */
int rung_on_device(rung_fn *run, const rung_problem *p, rung_bytes *bytes);

/* Can this machine run at D columns what needs this? If not: why, if why is not
 * NULL (card.h). The CPU does all, or what the card in CUDA_ON_CPU_CARD does.
 * Where no GPU answers the program ends with one line and NO_DEVICE. */
enum { NO_DEVICE = 3 };
bool runs_here(const demand *n, int D, char why[REASON]);

/* The most columns for which it can; 0: none. And in a line for what not, and
 * why; nothing where all is run. */
int widest_here(const demand *n);
void print_left_out(FILE *to, const char *name, const demand *n);

/* The GPU's name, or "the CPU (cuda_on_cpu)". */
const char *device_name(void);

/* True if Hopper's rungs run here; else prints why not. For a program with no
 * others. */
bool hopper_runs_here(void);

/* As much as any rung wants. */
size_t scratch_bytes(const rung_problem *p);

/* p's arrays. */
void rung_arrays(rung_problem *p, device_array all[ARRAYS]);

const char *device_error(int error);

#ifdef __cplusplus
}
#endif
#endif
