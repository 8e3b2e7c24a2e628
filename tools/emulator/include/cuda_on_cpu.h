/* cuda_on_cpu.h: the emulator's settings, counts and findings for programs.
 * include/ has the CUDA functions, under NVIDIA's header names. With nvcc, the
 * functions that kernel files call are macros that do nothing. Page:
 * docs/cuda_on_cpu.md.
 *
 * The emulator prints each mistake on stderr, with file and line. The exit
 * status of the process is then 1, even if main returns 0. A mistake that would
 * stop a GPU ends the launch. Environment variables:
 *
 *     CUDA_ON_CPU=count    count bytes, accesses, barriers (fastest)
 *     CUDA_ON_CPU=check    also find races, uninitialised reads (default)
 *     CUDA_ON_CPU=full     also count bank conflicts and sectors
 *     CUDA_ON_CPU_REPORT=1 print the report after every launch
 *     CUDA_ON_CPU_SEED=7   run blocks, warps, copies in a random order
 *     CUDA_ON_CPU_ARCH=80  architecture: 80, 86, 89 or 90 (default)
 *     CUDA_ON_CPU_ROUND=hardware  round products and exponentials as GPUs may
 *     CUDA_ON_CPU_LIMIT=300 time limit of a block in s (default 30; 0: none) */
#ifndef CUDA_ON_CPU_H
#define CUDA_ON_CPU_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The counts of one launch, or sums of several (cuda_on_cpu_add_launches). */
struct cuda_counts {
    const char *kernel;       /* source text before <<< */
    uint64_t blocks, threads; /* in the whole grid */
    uint64_t most_threads;    /* maximum of threads per block */
    uint64_t most_shared;     /* maximum of dynamic shared bytes per block */
    uint64_t last_shared;     /* dynamic shared bytes in the last launch */
    uint64_t carveout;        /* requested shared part of the L1 cache in % */
    uint64_t barriers;        /* calls of __syncthreads by a block */
    uint64_t warp_syncs;      /* calls of __syncwarp by a warp */
    uint64_t shuffles;        /* shuffles and votes by a warp */
    uint64_t mma, ldmatrix;   /* instructions by a warp */
    uint64_t wgmma;           /* instructions by a warpgroup */
    uint64_t tma;             /* boxes that TMA loads or adds */
    uint64_t global_loads;    /* accesses */
    uint64_t global_loaded, global_stored; /* bytes, without atomics */
    uint64_t busiest; /* most global bytes that a thread loads and stores */
    uint64_t static_shared; /* bytes of the program's kernel with the most */
    uint64_t private_bytes; /* most bytes of a thread's variables at a wait */
    uint64_t variables; /* bytes stored to __device__ variables, and to memory
                           that the kernel allocated */
    uint64_t global_atomics;               /* bytes */
    uint64_t global_loaded_once;           /* bytes, each byte counted once; 0
                                              with CUDA_ON_CPU=count */
    uint64_t shared_loads, shared_stores;  /* accesses */
    uint64_t shared_loaded, shared_stored; /* bytes */
    uint64_t loaded_meanwhile; /* sum over all cp.async: the shared bytes that
                                  its thread loads between it and its wait */
    /* Only with CUDA_ON_CPU=full. _best: the number without bank conflicts, or
     * with contiguous addresses. */
    uint64_t shared_wavefronts, shared_wavefronts_best;
    uint64_t global_sectors, global_sectors_best; /* of 32 bytes */
};

struct cuda_array_counts {
    uint64_t loaded, stored, loaded_once; /* bytes in the last launch */
};

/* The first mistake of one kind at one line. */
struct cuda_finding {
    const char *kind; /* such as "race"; findings.cpp lists all kinds */
    const char *file;
    int line;
    const char *text;
    const char *where; /* "in kernel k, block (0,0,0), thread (3,0,0)" or "" */
};

enum cuda_effort { CUDA_COUNT = 1, CUDA_CHECK, CUDA_FULL };

#ifdef CUDA_ON_CPU
#ifdef __cplusplus
extern "C" {
#endif

enum cuda_effort cuda_on_cpu_effort(void);
void cuda_on_cpu_set_effort(enum cuda_effort effort);

/* Sets the seed, like CUDA_ON_CPU_SEED. Each launch then has another random
 * order. Seed 0 turns this off. */
void cuda_on_cpu_set_seed(uint64_t seed);

/* If on is not 0, the threads of a block take turns before every load and
 * store. So most missing barriers do not change a result. */
void cuda_on_cpu_lockstep(int on);

/* Limits dynamic shared memory, as on a smaller GPU. Above the limit
 * cudaFuncSetAttribute returns an error, without a finding. */
void cuda_on_cpu_most_shared(size_t bytes);

/* Sets the name of the array that contains p, for reports and findings. */
void cuda_on_cpu_name(const void *p, const char *name);

/* Makes a store of a kernel to p's array a finding. */
void cuda_on_cpu_input(const void *p);

/* Return the counts of the last launch: all counts, or those of p's array. */
struct cuda_counts cuda_on_cpu_counts(void);
struct cuda_array_counts cuda_on_cpu_array_counts(const void *p);

void cuda_on_cpu_report(FILE *to);

/* If add is 0 (default), each launch resets the counts; else they add up. */
void cuda_on_cpu_add_launches(int add);

/* Returns the number of findings since the last cuda_on_cpu_forgive(). */
size_t cuda_on_cpu_findings(void);
struct cuda_finding cuda_on_cpu_finding(size_t i);

/* Removes all findings. Tests with planted mistakes call it. */
void cuda_on_cpu_forgive(void);

/* If print is 0, findings are stored, but not printed. */
void cuda_on_cpu_print_findings(int print);

#ifdef __cplusplus
}
#endif
#else
#define cuda_on_cpu_name(p, name)     ((void)(p), (void)(name))
#define cuda_on_cpu_input(p)          ((void)(p))
#define cuda_on_cpu_report(to)        ((void)(to))
#define cuda_on_cpu_add_launches(add) ((void)(add))
#define cuda_on_cpu_set_seed(seed)    ((void)(seed))
#endif
#endif
