/* cuda_on_cpu.h: the emulator's functions for programs. The CUDA functions are
 * in include/, under NVIDIA's header names. A .cu file is plain CUDA, and nvcc
 * compiles it unchanged. For the CPU, a sed script turns kernel<<<...>>>(args)
 * into a call, and the compiler calls a hook before every load and store
 * (cuda_on_cpu.mk). There CUDA_ON_CPU is defined. With nvcc it is not defined,
 * and the functions below do nothing, so no kernel file needs an #ifdef.
 *
 * Each mistake is printed on stderr, with file and line, when it is found. The
 * process then ends with exit status 1 even if main returns 0. A mistake that
 * would stop a GPU ends its launch; after any other the launch continues.
 * Environment variables:
 *
 *     CUDA_ON_CPU=count    count bytes, accesses, barriers (fastest)
 *     CUDA_ON_CPU=check    also find mistakes (default)
 *     CUDA_ON_CPU=full     also line up warps: bank conflicts, coalescing
 *     CUDA_ON_CPU_REPORT=1 print the report after every launch
 *     CUDA_ON_CPU_SEED=7   run warps in a random order
 *     CUDA_ON_CPU_ROUND=hardware  round products and exponentials as GPUs may
 *     CUDA_ON_CPU_LIMIT=300  time limit of a block in s (default 30; 0: none)
 *
 * What kernels may use: docs/cuda_on_cpu.md. */
#ifndef CUDA_ON_CPU_H
#define CUDA_ON_CPU_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What one launch did. Bytes and accesses are summed over all threads. */
struct cuda_counts {
    const char *kernel;                    /* as written before <<< */
    uint64_t blocks, threads;              /* of the whole grid */
    uint64_t most_threads, most_shared;    /* maximum per block; bytes of
                                        dynamic shared memory */
    uint64_t carveout;                     /* maximum percentage of the L1
                                        cache requested as shared memory */
    uint64_t barriers;                     /* __syncthreads, per block */
    uint64_t warp_syncs;                   /* __syncwarp, per warp */
    uint64_t shuffles;                     /* and votes, per warp */
    uint64_t mma, ldmatrix;                /* instructions, per warp */
    uint64_t wgmma;                        /* instructions, per warpgroup */
    uint64_t tma;                          /* loads of a box */
    uint64_t global_loaded;                /* bytes */
    uint64_t global_stored;                /* bytes */
    uint64_t global_atomics;               /* bytes, not in the other two */
    uint64_t global_loaded_once;           /* bytes, if each word were fetched
                                        once; 0 with CUDA_ON_CPU=count */
    uint64_t shared_loads, shared_stores;  /* accesses */
    uint64_t shared_loaded, shared_stored; /* bytes */
    /* Only with CUDA_ON_CPU=full: counted, and the smallest possible number. */
    uint64_t shared_wavefronts, shared_wavefronts_best;
    uint64_t global_sectors, global_sectors_best; /* of 32 bytes */
};

struct cuda_array_counts {
    uint64_t loaded, stored, loaded_once; /* bytes, in the last launch */
};

/* A mistake at a line; `times`: how often it was found there. */
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

/* Like CUDA_ON_CPU_SEED: from now on warps run and copies finish in a random
 * order, which differs for each launch. 0: no random order. */
void cuda_on_cpu_set_seed(uint64_t seed);

/* Limits dynamic shared memory, as on a smaller GPU. cudaFuncSetAttribute
 * returns an error above the limit; that is not reported as a mistake. */
void cuda_on_cpu_most_shared(size_t bytes);

/* Sets the name of the array that contains p, for reports and findings. */
void cuda_on_cpu_name(const void *p, const char *name);

struct cuda_counts cuda_on_cpu_counts(void); /* of the last launch */

/* 1: adds up the counts of the launches from now on; 0: stops that. */
void cuda_on_cpu_add_launches(int add);
struct cuda_array_counts cuda_on_cpu_array_counts(const void *p);
void cuda_on_cpu_report(FILE *to); /* the last launch, as tables */

/* Return the number of findings since the start or the last
 * cuda_on_cpu_forgive(), and one of them. */
size_t cuda_on_cpu_findings(void);
struct cuda_finding cuda_on_cpu_finding(size_t i);

/* Removes all findings: for tests with planted mistakes. */
void cuda_on_cpu_forgive(void);

/* 0: findings are stored, but not printed. */
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
