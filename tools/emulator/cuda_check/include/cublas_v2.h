/* cublas_v2.h: names of cuBLAS. A matrix product ends the program with a
 * message. Page: docs/cuda_check.md. */
#pragma once
#include <cuda_runtime.h>

typedef void *cublasHandle_t, *cublasLtHandle_t;
typedef int cublasStatus_t, cublasOperation_t, cublasMath_t;
typedef int cublasComputeType_t, cublasGemmAlgo_t, cudaDataType_t;
enum { CUBLAS_STATUS_SUCCESS };
enum { CUBLAS_OP_N, CUBLAS_OP_T };
enum { CUBLAS_DEFAULT_MATH, CUBLAS_TF32_TENSOR_OP_MATH };
enum { CUBLAS_COMPUTE_16F, CUBLAS_COMPUTE_32F };
enum { CUBLAS_COMPUTE_32F_FAST_16BF, CUBLAS_COMPUTE_32F_FAST_TF32 };
enum { CUBLAS_GEMM_DEFAULT, CUBLAS_GEMM_DEFAULT_TENSOR_OP };
enum { CUDA_R_32F, CUDA_R_16F, CUDA_R_16BF };

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
