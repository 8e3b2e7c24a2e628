/* What fatbin.cpp knows by its address in the host's program. */
#pragma once
#include <cstddef>

struct Function;
struct Registered { /* a __device__ or __constant__ variable */
    void *at;
    size_t bytes;
};

Function *function_of(const void *host);
const Registered *variable_of(const void *host);
