/* cublas_v2.h: cuBLAS's names, so that a file compiles that only compares itself
 * with cuBLAS. Who calls a product is told. Page: docs/cuda_check.md. */
#pragma once
#include <cuda_runtime.h>

typedef void *cublasHandle_t, *cublasLtHandle_t;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum cublasMath_t { CUBLAS_DEFAULT_MATH, CUBLAS_TF32_TENSOR_OP_MATH };
enum cublasComputeType_t {
    CUBLAS_COMPUTE_16F,
    CUBLAS_COMPUTE_32F,
    CUBLAS_COMPUTE_32F_FAST_16BF,
    CUBLAS_COMPUTE_32F_FAST_TF32
};
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT, CUBLAS_GEMM_DEFAULT_TENSOR_OP };
enum cudaDataType_t { CUDA_R_32F, CUDA_R_16F, CUDA_R_16BF };

/* What is made and set for a product that may never be asked for. */
#define cublasCreate(...)      CUBLAS_STATUS_SUCCESS
#define cublasDestroy(...)     CUBLAS_STATUS_SUCCESS
#define cublasLtCreate(...)    CUBLAS_STATUS_SUCCESS
#define cublasLtDestroy(...)   CUBLAS_STATUS_SUCCESS
#define cublasSetMathMode(...) CUBLAS_STATUS_SUCCESS
#define cublasSetStream(...)   CUBLAS_STATUS_SUCCESS

#define EMU_PRODUCT(name)              (emu::cannot(name), CUBLAS_STATUS_SUCCESS)
#define cublasSgemm(...)               EMU_PRODUCT("cublasSgemm")
#define cublasGemmEx(...)              EMU_PRODUCT("cublasGemmEx")
#define cublasSgemmStridedBatched(...) EMU_PRODUCT("cublasSgemmStridedBatched")
#define cublasGemmStridedBatchedEx(...)                                        \
    EMU_PRODUCT("cublasGemmStridedBatchedEx")
