/* cuda_on_cpu.h: the emulator's functions for programs; everything else of CUDA
 * is in include/, under NVIDIA's own header names. A .cu file is plain CUDA,
 * which nvcc compiles as it is. For the CPU, one sed script turns
 * kernel<<<...>>>(args) into a call, and the compiler calls a hook before every
 * load and store (cuda_on_cpu.mk). CUDA_ON_CPU is defined there, and not under
 * nvcc, where the functions below do nothing, so that no kernel file needs an
 * #ifdef.
 *
 * A mistake is one line on stderr with file and line, as it is found; the
 * process then ends with exit status 1 even if main returns 0. A mistake that
 * would stop a GPU ends that launch; the others do not. At run time:
 *
 *     CUDA_ON_CPU=count    count bytes, accesses, barriers        (fastest)
 *     CUDA_ON_CPU=check    and find mistakes                      (default)
 *     CUDA_ON_CPU=full     and line up warps: bank conflicts, coalescing
 *     CUDA_ON_CPU_REPORT=1 print the report after every launch
 *     CUDA_ON_CPU_SEED=7   run warps in another, random order
 *     CUDA_ON_CPU_ROUND=hardware  round products and exponentials as GPUs may
 *     CUDA_ON_CPU_LIMIT=300  seconds that a block may run (30; 0: no limit)
 *
 * What a kernel may use, and what not: docs/cuda_on_cpu.md. */
#ifndef CUDA_ON_CPU_H
#define CUDA_ON_CPU_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What one launch did. Bytes and accesses are summed over all threads. */
struct cuda_counts {
    const char *kernel;                    /* as written before <<< */
    uint64_t blocks, threads;              /* of the whole grid */
    uint64_t most_threads, most_shared;    /* of a block of any launch; bytes
                                        of dynamic shared memory */
    uint64_t carveout;                     /* percent of the L1 cache that a
                                        kernel wished for as shared memory */
    uint64_t barriers;                     /* __syncthreads, per block */
    uint64_t warp_syncs;                   /* __syncwarp, per warp */
    uint64_t shuffles;                     /* per warp; votes count too */
    uint64_t mma, ldmatrix;                /* instructions, per warp */
    uint64_t wgmma;                        /* instructions, per warpgroup */
    uint64_t tma;                          /* loads of a box */
    uint64_t global_loaded;                /* bytes */
    uint64_t global_stored;                /* bytes */
    uint64_t global_atomics;               /* bytes, in neither of the two */
    uint64_t global_loaded_once;           /* if each word were fetched once;
                                        0 at `count` */
    uint64_t shared_loads, shared_stores;  /* accesses */
    uint64_t shared_loaded, shared_stored; /* bytes */
    /* at `full`: what a warp's accesses cost, and at best would */
    uint64_t shared_wavefronts, shared_wavefronts_best;
    uint64_t global_sectors, global_sectors_best; /* of 32 bytes */
};

struct cuda_array_counts {
    uint64_t loaded, stored, loaded_once; /* bytes, in the last launch */
};

/* One mistake, at one line; `times` it was met. */
struct cuda_finding {
    const char *kind; /* "race", "out of bounds", ...: see findings.cpp */
    const char *file;
    int line;
    uint64_t times;
    const char *text;
};

enum cuda_effort { CUDA_COUNT = 1, CUDA_CHECK, CUDA_FULL };

#ifdef CUDA_ON_CPU
#ifdef __cplusplus
extern "C" {
#endif

enum cuda_effort cuda_on_cpu_effort(void);
void cuda_on_cpu_set_effort(enum cuda_effort effort);

/* From now on warps run and copies land in a random order, another one with
 * each launch, as with CUDA_ON_CPU_SEED; 0: in order. */
void cuda_on_cpu_set_seed(uint64_t seed);

/* From now on no kernel is allowed more dynamic shared memory, as on a smaller
 * GPU; cudaFuncSetAttribute then says no, which is no mistake. */
void cuda_on_cpu_most_shared(size_t bytes);

/* Names the array that p points into, for reports and findings. */
void cuda_on_cpu_name(const void *p, const char *name);

struct cuda_counts cuda_on_cpu_counts(void); /* of the last launch */

/* 1: from now on the counts of launches are added up, until 0. */
void cuda_on_cpu_add_launches(int add);
struct cuda_array_counts cuda_on_cpu_array_counts(const void *p);
void cuda_on_cpu_report(FILE *to); /* the last launch, as tables */

/* What was found since the start or the last cuda_on_cpu_forgive(). */
size_t cuda_on_cpu_findings(void);
struct cuda_finding cuda_on_cpu_finding(size_t i);

/* Forgets the findings: for tests that plant mistakes on purpose. */
void cuda_on_cpu_forgive(void);

/* 0: keep findings for cuda_on_cpu_finding, don't print them. */
void cuda_on_cpu_print_findings(int print);

#ifdef __cplusplus
}
#endif
#else
#define cuda_on_cpu_name(p, name)     ((void)(p), (void)(name))
#define cuda_on_cpu_report(to)        ((void)(to))
#define cuda_on_cpu_add_launches(add) ((void)(add))
#define cuda_on_cpu_set_seed(seed)    ((void)(seed))
#endif
#endif
