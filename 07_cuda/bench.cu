/*
 * The ladder against this GPU's own peaks: every rung beside a cuBLAS matrix
 * product of its type and a copy, in turns, in one run. Tab-separated on
 * stdout; a figure above the peak is refused. docs/measuring.md
 *
 *     bench [bf16|fp16]
 */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "timing.h"

struct runner {
    rung_fn *run;
    int without; /* a part of rung 7, or 0 */
    const rung_problem *p;
};

static int start_rung(void *self)
{
    runner *r = (runner *)self;

    return r->without ? rung_full_without(r->p, r->without) : r->run(r->p);
}

/* --- The peaks ------------------------------------------------------------ */

/* C = A B of 8192 x 8192, by the library that a user would take. */
struct product {
    cublasHandle_t handle;
    void *A, *B, *C;
    precision type;
};

enum { SIDE = 8192 };

static int start_product(void *self)
{
    product *m = (product *)self;
    cudaDataType_t type = m->type == FP32   ? CUDA_R_32F
                          : m->type == BF16 ? CUDA_R_16BF
                                            : CUDA_R_16F;
    float one = 1, nothing = 0;
    cublasStatus_t status =
        cublasGemmEx(m->handle, CUBLAS_OP_T, CUBLAS_OP_N, SIDE, SIDE, SIDE,
                     &one, m->A, type, SIDE, m->B, type, SIDE, &nothing, m->C,
                     type, SIDE, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);

    return status == CUBLAS_STATUS_SUCCESS ? 0 : cudaErrorUnknown;
}

/* One array to another, 2 GiB each: far more than the L2 holds. */
struct copy {
    void *from, *to;
    size_t bytes;
};

static int start_copy(void *self)
{
    copy *c = (copy *)self;

    return cudaMemcpyAsync(c->to, c->from, c->bytes, cudaMemcpyDeviceToDevice);
}

/* --- The report ----------------------------------------------------------- */

static int fail(const char *what, int error)
{
    fprintf(stderr, "bench: %s: %s\n", what, device_error(error));
    return 1;
}

/* Times rungs first .. last, rung 7 without each part, and the product. */
static int bench(precision type, int B, int H, int N, int d, int causal,
                 product *m)
{
    static const struct {
        const char *name;
        int part;
    } parts[] = {{"full-rows_32", ROWS_32},
                 {"full-exp2", EXP2},
                 {"full-edges", EDGES},
                 {"full-skip", SKIP},
                 {"full-longest", LONGEST}};
    const int first = type == FP32 ? 0 : RUNG_sliced_k;
    const int last = type == FP32 ? RUNG_sliced_k : RUNGS;
    runner r[RUNGS + 5];
    contender c[RUNGS + 6];
    rung_problem p;
    size_t n = 0;
    int refused = 0, error = problem_random(&p, type, B * H, N, d, causal);
    double peak;

    for (int k = first; k < last; k++, n++) {
        r[n] = {ladder[k].run, 0, &p};
        c[n] = {ladder[k].name, start_rung, &r[n], problem_flops(&p), 0, 0};
    }
    for (int k = 0; k < 5 && type != FP32; k++, n++) {
        r[n] = {nullptr, parts[k].part, &p};
        c[n] = {parts[k].name, start_rung, &r[n], problem_flops(&p), 0, 0};
    }
    m->type = type;
    c[n++] = {"cublas", start_product, m, 2.0 * SIDE * SIDE * SIDE, 0, 0};
    if (!error)
        error = time_in_turns(c, n, type == FP32 ? 3 : 11);
    problem_free(&p);
    if (error)
        return fail("a rung", error);
    peak = c[n - 1].work / c[n - 1].median;
    for (size_t k = 0; k < n; k++) {
        double rate = c[k].work / c[k].median;

        if (rate > 1.05 * peak) {
            fprintf(stderr,
                    "bench: %s: %.0f TFLOP/s is above the peak, %.0f: "
                    "not believed\n",
                    c[k].name, rate / 1e12, peak / 1e12);
            refused = 1;
            continue;
        }
        printf("%s\t%s\t%d\t%d\t%d\t%d\t%d\t%.5f\t%.2f\t%.1f\t%.3f\n",
               c[k].name, precision_name(type), B, H, N, d, causal,
               c[k].median * 1e3, rate / 1e12, 100 * rate / peak, c[k].spread);
        fflush(stdout);
    }
    return refused;
}

static int bench_copy(void)
{
    copy two = {nullptr, nullptr, (size_t)2 << 30};
    contender c = {"copy", start_copy, &two, 2.0 * (double)two.bytes, 0, 0};
    int error = cudaMalloc(&two.from, two.bytes);

    if (!error)
        error = cudaMalloc(&two.to, two.bytes);
    if (!error)
        error = cudaMemset(two.from, 0x3c, two.bytes);
    if (!error)
        error = time_in_turns(&c, 1, 11);
    cudaFree(two.from);
    cudaFree(two.to);
    if (error)
        return fail("the copy", error);
    fprintf(stderr, "copy: %.0f GB/s, read and written\n",
            c.work / c.median / 1e9);
    return 0;
}

int main(int argc, char **argv)
{
    /* [batch, heads, N, d] */
    static const int shapes[][4] = {{4, 16, 4096, 64},  {4, 16, 4096, 128},
                                    {16, 12, 64, 64},   {16, 12, 256, 64},
                                    {16, 12, 2048, 64}, {8, 12, 64, 64}};
    precision narrow = argc > 1 && !strcmp(argv[1], "fp16") ? FP16 : BF16;
    rung_problem square[2];
    product m[2] = {};
    int error = 0, status = bench_copy();

    /* The product's matrices: random, as zeros would run faster. */
    for (int k = 0; k < 2 && !error; k++) {
        error = problem_random(&square[k], k ? narrow : FP32, SIDE / 128, SIDE,
                               128, 0);
        m[k].A = (void *)square[k].Q;
        m[k].B = (void *)square[k].K;
        m[k].C = square[k].O;
        if (!error && cublasCreate(&m[k].handle) != CUBLAS_STATUS_SUCCESS)
            error = cudaErrorUnknown;
    }
    if (error)
        return fail("cuBLAS", error);
    printf("step\tdtype\tB\tH\tN\td\tcausal\tms\ttflops\tpercent\tspread\n");
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int causal = 0; causal < 2; causal++)
            for (int k = 0; k < 2; k++)
                status |= bench(k ? narrow : FP32, shapes[s][0], shapes[s][1],
                                shapes[s][2], shapes[s][3], causal, &m[k]);
    return status;
}
