/* What runtime.cpp and launch.cpp share. */
#pragma once
#include <cuda_runtime_api.h>

cudaError_t said(cudaError_t error); /* what cudaGetLastError says then */
