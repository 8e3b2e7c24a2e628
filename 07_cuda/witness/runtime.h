/* What the files of the runtime share: kernels and variables of the program. */
#pragma once
#include <cuda_runtime_api.h>

#include "07_cuda/witness/module.h"

struct Function {
    const Module *module; /* null: it has no PTX */
    std::string name;
    Kernel *kernel;  /* compiled at its first launch */
    int most_shared; /* that a launch may ask for */
};

Function *function_of(const void *host); /* null: it is none */

/* Runs it to its end. */
cudaError_t launch(Function &f, dim3 grid, dim3 block, void **arguments,
                   size_t shared);
cudaError_t said(cudaError_t error); /* what cudaGetLastError says then */
