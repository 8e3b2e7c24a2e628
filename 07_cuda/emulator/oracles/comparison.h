/*
 * cute-check: what the kernels and the emulator say of a layout, beside what
 * CuTe says, element by element.
 */
#pragma once
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#include "cute_tables.h"

/* How many elements were compared, and how many of them differ. */
struct outcome {
    long elements = 0, differ = 0;

    void equal(bool same)
    {
        elements++;
        differ += !same;
    }
};

struct comparison {
    const char *what;
    outcome (*compare)();
};

inline std::vector<comparison> &comparisons()
{
    static std::vector<comparison> all;

    return all;
}

/* A comparison adds itself to the list. */
struct added {
    added(const char *what, outcome (*compare)())
    {
        comparisons().push_back({what, compare});
    }
};

static inline void must(int error)
{
    if (!error)
        return;
    fprintf(stderr, "cute_check: %s\n", cudaGetErrorString((cudaError_t)error));
    exit(1);
}

/* An array on the device, until the program ends; and what is in one. */
template <class T> T *device(const std::vector<T> &from)
{
    T *p;

    must(cudaMalloc(&p, from.size() * sizeof(T)));
    must(cudaMemcpy(p, from.data(), from.size() * sizeof(T),
                    cudaMemcpyHostToDevice));
    return p;
}
template <class T> std::vector<T> host(const T *p, size_t n)
{
    std::vector<T> to(n);

    must(cudaMemcpy(to.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
}

/* -3 .. 3, the same in every run. */
static inline int small_integer()
{
    static unsigned state = 1;

    state = state * 1664525u + 1013904223u;
    return (int)((state >> 16) % 7) - 3;
}
