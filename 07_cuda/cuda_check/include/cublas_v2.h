/* cublas_v2.h: of cuBLAS the matrix products that kernels are compared with, by
 * three loops of the host. Page: docs/cuda_check.md. */
#pragma once
#include <cuda_runtime.h>

typedef struct emu_blas *cublasHandle_t;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum cublasMath_t { CUBLAS_DEFAULT_MATH, CUBLAS_TF32_TENSOR_OP_MATH };
enum cublasComputeType_t {
    CUBLAS_COMPUTE_16F,
    CUBLAS_COMPUTE_32F,
    CUBLAS_COMPUTE_32F_FAST_16BF,
    CUBLAS_COMPUTE_32F_FAST_TF32
};
enum cublasGemmAlgo_t {
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99
};
enum cudaDataType { CUDA_R_32F, CUDA_R_16F = 2, CUDA_R_16BF = 14 };
typedef cudaDataType cudaDataType_t;

template <class... P> cublasStatus_t cublasSetMathMode(P...)
{
    return CUBLAS_STATUS_SUCCESS;
}
template <class... P> cublasStatus_t cublasSetStream(P...)
{
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    *handle = nullptr;
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t)
{
    return CUBLAS_STATUS_SUCCESS;
}

namespace emu
{
inline float element(const void *p, size_t i, cudaDataType type)
{
    if (type == CUDA_R_32F)
        return ((const float *)p)[i];
    return type == CUDA_R_16F ? (float)((const __half *)p)[i]
                              : (float)((const __nv_bfloat16 *)p)[i];
}
inline void set_element(void *p, size_t i, cudaDataType type, float x)
{
    if (type == CUDA_R_32F)
        ((float *)p)[i] = x;
    else if (type == CUDA_R_16F)
        ((__half *)p)[i] = x;
    else
        ((__nv_bfloat16 *)p)[i] = x;
}
} // namespace emu

/* By columns, as Fortran has it. */
inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t, cublasOperation_t a_is, cublasOperation_t b_is, int m,
    int n, int k, const void *alpha, const void *A, cudaDataType A_type,
    int lda, long long a_step, const void *B, cudaDataType B_type, int ldb,
    long long b_step, const void *beta, void *C, cudaDataType C_type, int ldc,
    long long c_step, int batches, cublasComputeType_t, cublasGemmAlgo_t)
{
    const float by = *(const float *)alpha, keep = *(const float *)beta;
    const size_t bytes = C_type == CUDA_R_32F ? 4 : 2;
    for (long long t = 0; t < batches; t++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                size_t at = (size_t)(t * c_step) + (size_t)j * ldc + i;
                float sum = 0;
                for (int e = 0; e < k; e++) {
                    size_t a = a_is == CUBLAS_OP_N ? (size_t)e * lda + i
                                                   : (size_t)i * lda + e;
                    size_t b = b_is == CUBLAS_OP_N ? (size_t)j * ldb + e
                                                   : (size_t)e * ldb + j;
                    sum += emu::element(A, (size_t)(t * a_step) + a, A_type) *
                           emu::element(B, (size_t)(t * b_step) + b, B_type);
                }
                sum *= by;
                if (keep != 0)
                    sum += keep * emu::element(C, at, C_type);
                emu::set_element(C, at, C_type, sum);
            }
    /* It counts as written. */
    size_t all = (size_t)((batches - 1) * c_step) + (size_t)(n - 1) * ldc + m;
    return cudaMemcpy(C, C, all * bytes, cudaMemcpyDeviceToDevice) ==
                   cudaSuccess
               ? CUBLAS_STATUS_SUCCESS
               : (cublasStatus_t)13;
}
template <class Compute>
cublasStatus_t
cublasGemmEx(cublasHandle_t h, cublasOperation_t a_is, cublasOperation_t b_is,
             int m, int n, int k, const void *alpha, const void *A,
             cudaDataType A_type, int lda, const void *B, cudaDataType B_type,
             int ldb, const void *beta, void *C, cudaDataType C_type, int ldc,
             Compute, cublasGemmAlgo_t algorithm)
{
    return cublasGemmStridedBatchedEx(
        h, a_is, b_is, m, n, k, alpha, A, A_type, lda, 0, B, B_type, ldb, 0,
        beta, C, C_type, ldc, 0, 1, CUBLAS_COMPUTE_32F, algorithm);
}
inline cublasStatus_t cublasSgemmStridedBatched(
    cublasHandle_t h, cublasOperation_t a_is, cublasOperation_t b_is, int m,
    int n, int k, const float *alpha, const float *A, int lda, long long a_step,
    const float *B, int ldb, long long b_step, const float *beta, float *C,
    int ldc, long long c_step, int batches)
{
    return cublasGemmStridedBatchedEx(
        h, a_is, b_is, m, n, k, alpha, A, CUDA_R_32F, lda, a_step, B,
        CUDA_R_32F, ldb, b_step, beta, C, CUDA_R_32F, ldc, c_step, batches,
        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
inline cublasStatus_t cublasSgemm(cublasHandle_t h, cublasOperation_t a_is,
                                  cublasOperation_t b_is, int m, int n, int k,
                                  const float *alpha, const float *A, int lda,
                                  const float *B, int ldb, const float *beta,
                                  float *C, int ldc)
{
    return cublasSgemmStridedBatched(h, a_is, b_is, m, n, k, alpha, A, lda, 0,
                                     B, ldb, 0, beta, C, ldc, 0, 1);
}
