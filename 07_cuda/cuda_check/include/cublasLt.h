/* cublasLt.h: only that it can be included and asked for a handle. */
#pragma once
#include "cublas_v2.h"

typedef struct emu_blas_lt *cublasLtHandle_t;
inline cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    *handle = nullptr;
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t)
{
    return CUBLAS_STATUS_SUCCESS;
}
