/* What the files of the runtime share. */
#pragma once
#include <cuda_runtime_api.h>

cudaError_t said(cudaError_t error); /* what cudaGetLastError says then */
/* The driver's function, as a program asks the runtime for it; null: another. */
void *driver_function(const char *name);
