/* A matrix product by cuBLAS (timing.h). */
#include "07_cuda/bench/timing.h"

#include <cuda_runtime.h>
#include <dlfcn.h>

/* bench loads cuBLAS at run time, so it also works without cuBLAS. The
 * constants have the values of cublas_api.h and library_types.h. */
enum { OP_T = 1, OP_N = 0, COMPUTE_32F = 68, GEMM_DEFAULT = -1 };
enum { R_32F = 0, R_16BF = 14 };

static struct {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*multiply)(void *handle, int op_A, int op_B, int m, int n, int k,
                    const void *alpha, const void *A, int A_type, int lda,
                    const void *B, int B_type, int ldb, const void *beta,
                    void *C, int C_type, int ldc, int compute, int algorithm);
} cublas;

template <class F>
static bool find(void *library, F *function, const char *name)
{
    *function = (F)dlsym(library, name);
    return *function;
}

static bool cublas_is_here(void)
{
    void *library = nullptr;

    for (const char *name :
         {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
        library = library ? library : dlopen(name, RTLD_NOW);
    return library && find(library, &cublas.create, "cublasCreate_v2") &&
           find(library, &cublas.destroy, "cublasDestroy_v2") &&
           find(library, &cublas.multiply, "cublasGemmEx");
}

int matmul_new(matmul *m, precision type)
{
    static const bool here = cublas_is_here();
    const shape square = {1, SIDE / 128, SIDE / 128, SIDE, SIDE, 128, false};
    int error = here ? problem_random(&m->holds, type, square) : 0;

    if (here && !error && cublas.create(&m->handle))
        error = cudaErrorInvalidValue;
    return error;
}

int matmul_free(matmul *m)
{
    int error = m->holds.heads ? problem_free(&m->holds) : 0;

    if (m->handle && cublas.destroy(m->handle) && !error)
        error = cudaErrorInvalidValue;
    return error;
}

static int multiply(const matmul *m)
{
    int type = m->holds.type == FP32 ? R_32F : R_16BF;
    float alpha = 1, beta = 0;
    int status =
        cublas.multiply(m->handle, OP_T, OP_N, SIDE, SIDE, SIDE, &alpha,
                        m->holds.Q, type, SIDE, m->holds.K, type, SIDE, &beta,
                        m->holds.O, type, SIDE, COMPUTE_32F, GEMM_DEFAULT);

    return status ? cudaErrorInvalidValue : 0;
}

contender matmul_contender(const matmul *m)
{
    if (!m->handle)
        return {};
    return {"cublas", [m] { return multiply(m); }, 2.0 * SIDE * SIDE * SIDE};
}
