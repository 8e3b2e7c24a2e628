/* cublas_v2.h: of cuBLAS the fp32 matrix products that kernels are compared with,
 * by three loops of the host. Page: docs/cuda_check.md. */
#pragma once
#include <cuda_runtime.h>

typedef void *cublasHandle_t, *cublasLtHandle_t;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_FAILED = 13 };
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

#define EMU_DONE(name)                                                         \
    template <class... P> cublasStatus_t name(P...)                            \
    {                                                                          \
        return CUBLAS_STATUS_SUCCESS;                                          \
    }
EMU_DONE(cublasCreate)
EMU_DONE(cublasDestroy)
EMU_DONE(cublasLtCreate)
EMU_DONE(cublasLtDestroy)
EMU_DONE(cublasSetMathMode)
EMU_DONE(cublasSetStream)
#undef EMU_DONE

/* By columns, as Fortran has it. */
inline cublasStatus_t cublasSgemmStridedBatched(
    cublasHandle_t, cublasOperation_t a_is, cublasOperation_t b_is, int m,
    int n, int k, const float *alpha, const float *A, int lda, long long a_step,
    const float *B, int ldb, long long b_step, const float *beta, float *C,
    int ldc, long long c_step, int batches)
{
    const size_t a_row = a_is == CUBLAS_OP_N ? 1 : (size_t)lda;
    const size_t a_column = a_is == CUBLAS_OP_N ? (size_t)lda : 1;
    const size_t b_row = b_is == CUBLAS_OP_N ? 1 : (size_t)ldb;
    const size_t b_column = b_is == CUBLAS_OP_N ? (size_t)ldb : 1;
    for (long long t = 0; t < batches; t++)
        for (size_t j = 0; j < (size_t)n; j++)
            for (size_t i = 0; i < (size_t)m; i++) {
                const float *a = A + t * a_step + i * a_row;
                const float *b = B + t * b_step + j * b_column;
                float *c = C + t * c_step + j * ldc + i, sum = 0;
                for (size_t e = 0; e < (size_t)k; e++)
                    sum += a[e * a_column] * b[e * b_row];
                *c = *alpha * sum + (*beta != 0 ? *beta * *c : 0);
            }
    /* It counts as written. */
    long long all = (batches - 1) * c_step + (n - 1LL) * ldc + m;
    return cudaMemcpy(C, C, (size_t)all * 4, cudaMemcpyDeviceToDevice) ==
                   cudaSuccess
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_FAILED;
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
template <class Compute>
cublasStatus_t
cublasGemmEx(cublasHandle_t h, cublasOperation_t a_is, cublasOperation_t b_is,
             int m, int n, int k, const void *alpha, const void *A,
             cudaDataType A_type, int lda, const void *B, cudaDataType B_type,
             int ldb, const void *beta, void *C, cudaDataType C_type, int ldc,
             Compute, cublasGemmAlgo_t)
{
    if (A_type + B_type + C_type != 3 * CUDA_R_32F)
        emu::cannot("cublasGemmEx in 16 bits");
    return cublasSgemm(h, a_is, b_is, m, n, k, (const float *)alpha,
                       (const float *)A, lda, (const float *)B, ldb,
                       (const float *)beta, (float *)C, ldc);
}
template <class... P> cublasStatus_t cublasGemmStridedBatchedEx(P...)
{
    emu::cannot("cublasGemmStridedBatchedEx");
}
