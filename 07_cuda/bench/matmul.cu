/*
 * A matrix product by cuBLAS (matmul.h).
 */
#include "07_cuda/bench/matmul.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>

int matmul_new(matmul *m, precision type)
{
    cublasHandle_t handle = nullptr;
    int error;

    m->type = type;
    error = problem_random(&m->holds, type, SIDE / 128, SIDE, 128, 0);
    if (!error && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
        error = cudaErrorUnknown;
    m->handle = handle;
    return error;
}

void matmul_free(matmul *m)
{
    problem_free(&m->holds);
    if (m->handle)
        cublasDestroy((cublasHandle_t)m->handle);
}

static int start(void *self)
{
    matmul *m = (matmul *)self;
    cudaDataType_t type = m->type == FP32   ? CUDA_R_32F
                          : m->type == BF16 ? CUDA_R_16BF
                                            : CUDA_R_16F;
    float one = 1, nothing = 0;
    cublasStatus_t status = cublasGemmEx(
        (cublasHandle_t)m->handle, CUBLAS_OP_T, CUBLAS_OP_N, SIDE, SIDE, SIDE,
        &one, m->holds.Q, type, SIDE, m->holds.K, type, SIDE, &nothing,
        m->holds.O, type, SIDE, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);

    return status == CUBLAS_STATUS_SUCCESS ? 0 : cudaErrorUnknown;
}

contender matmul_contender(matmul *m)
{
    return {"cublas", start, m, 2.0 * SIDE * SIDE * SIDE, 0, 0};
}
