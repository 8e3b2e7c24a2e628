/* Kernels of the program, and how they are started. */
#pragma once
#include <cuda_runtime_api.h>

#include <string>

struct Module;
struct Kernel;

struct Function {
    const Module *module;
    std::string name;
    Kernel *kernel;  /* compiled at its first launch */
    int most_shared; /* that a launch may ask for */
};

/* Runs it to its end. */
cudaError_t launch(Function &f, dim3 grid, dim3 block, void **arguments,
                   size_t shared);
