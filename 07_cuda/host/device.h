/*
 * A rung on arrays of the host's: they are copied to the device, the rung
 * runs, O and L are copied back.
 */
#ifndef CUDA_DEVICE_H
#define CUDA_DEVICE_H

#include "07_cuda/rung.h"

#include <stddef.h>
#include <stdint.h>

/* The arrays of a rung_problem. */
enum { Q_IN, K_IN, V_IN, O_OUT, L_OUT, M_STATE, L_STATE, SCRATCH, ARRAYS };

/* Bytes that a rung moved, as the emulator counted; 0 on a GPU. own: in
 * arrays that it makes for itself, of floats. */
typedef struct {
    uint64_t loaded[ARRAYS], stored[ARRAYS];
    uint64_t own_loaded, own_stored;
} rung_bytes;

/* An array of the host's, and where it is on the device. */
typedef struct {
    const char *name; /* in what the emulator finds */
    void *host;
    size_t size; /* bytes */
    bool in;     /* it is there before the kernels run */
    bool out;    /* it comes back */
    void *device;
} device_array;

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Room on the device for n arrays, NULL at first, and what is to be there
 * before; then what comes back, if there was no error, and the room is given
 * back in any case. Both return the first error, a cudaError_t.
 */
int arrays_to_device(device_array a[], int n);
int arrays_from_device(device_array a[], int n, int error);

/*
 * p's pointers are the host's (m and l are not used). What p->scratch holds,
 * if it is not NULL, is there before the rung runs, and comes back. Returns 0,
 * or the cudaError_t; O and L are then undefined. bytes may be NULL.
 */
int rung_on_device(rung_fn *run, const rung_problem *p, rung_bytes *bytes);

/* Is it for this machine? Hopper's rungs are for Hopper; the CPU does all.
 * Where no GPU answers the program ends with one line and NO_DEVICE. */
enum { NO_DEVICE = 3 };
bool rung_runs_here(const rung *r);

/* Are Hopper's? If not, that is said: for a program that has no others. */
bool hopper_runs_here(void);

/* As much as any rung wants. */
size_t scratch_bytes(const rung_problem *p);

/* Where p's arrays are, and how many bytes each has. */
void rung_arrays(const rung_problem *p, void *at[ARRAYS], size_t size[ARRAYS]);

const char *device_error(int error);

#ifdef __cplusplus
}
#endif
#endif
