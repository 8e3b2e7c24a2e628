/*
 * The ladder against this GPU's own peaks: every rung beside a cuBLAS matrix
 * product of its type and a copy, in turns, in one run. Tab-separated on
 * stdout; a figure above the peak is refused. docs/measuring.md
 *
 *     bench [bf16|fp16]
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "07_cuda/host/device.h"
#include "07_cuda/bench/matmul.h"
#include "07_cuda/bench/timing.h"

struct runner {
    rung_fn *run;
    int without; /* a part of rung 7, or 0 */
    bool fp8;    /* twice the peak of 16 bits */
    const rung_problem *p;
};

static int start_rung(void *self)
{
    runner *r = (runner *)self;

    return r->without ? rung_full_without(r->p, r->without) : r->run(r->p);
}

/* --- The copy -------------------------------------------------------------- */

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
                 matmul *m)
{
    static const struct {
        const char *name;
        int part;
    } parts[] = {{"full-rows_32", ROWS_32},
                 {"full-exp2", EXP2},
                 {"full-edges", EDGES},
                 {"full-skip", SKIP},
                 {"full-longest", LONGEST}};
    const int first = type == FP32 ? 0 : FIRST_16_BIT;
    const int last = type == FP32 ? FIRST_16_BIT : RUNGS;
    runner r[RUNGS + 6];
    contender c[RUNGS + 7];
    rung_problem p;
    size_t n = 0;
    int refused = 0, error = problem_random(&p, type, B * H, N, d, causal);
    double peak;

    for (int k = first; k < last; k++) {
        const rung *of = &ladder[k];

        if (!rung_runs_here(of) || rung_type(of, type) != type ||
            !rung_Br(of, d))
            continue;
        r[n] = {of->run, 0, of->fp8, &p};
        c[n] = {of->name, start_rung, &r[n], problem_flops(&p), 0, 0};
        n++;
    }
    if (type == BF16 && rung_runs_here(&ladder[RUNG_fp8])) {
        r[n] = {fp8_attend, 0, true, &p}; /* of what rung 11 has quantised */
        c[n] = {"fp8-attend", start_rung, &r[n], problem_flops(&p), 0, 0};
        n++;
    }
    for (int k = 0; k < 5 && type != FP32; k++, n++) {
        r[n] = {nullptr, parts[k].part, false, &p};
        c[n] = {parts[k].name, start_rung, &r[n], problem_flops(&p), 0, 0};
    }
    const bool ceiling = m->handle;
    if (ceiling)
        c[n++] = matmul_contender(m);
    if (!error)
        error = time_in_turns(c, n, type == FP32 ? 3 : 11);
    problem_free(&p);
    if (error)
        return fail("a rung", error);
    peak = ceiling ? c[n - 1].work / c[n - 1].median : NAN;
    for (size_t k = 0; k < n; k++) {
        bool fp8 = k + ceiling < n && r[k].fp8;

        refused |= print_row("bench", &c[k], &p, B, peak, fp8 ? 2.1 : 1.05);
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
    matmul m[2] = {};
    int error, status;

    rung_runs_here(&ladder[FIRST_HOPPER]); /* no GPU: this ends it */
    status = bench_copy();

    error = matmul_new(&m[0], FP32);
    if (!error)
        error = matmul_new(&m[1], narrow);
    if (error)
        return fail("cuBLAS", error);
    if (!m[1].handle)
        fprintf(stderr, "bench: no libcublas.so here: percent is nan\n");
    print_columns();
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int causal = 0; causal < 2; causal++)
            for (int k = 0; k < 2; k++)
                status |= bench(k ? narrow : FP32, shapes[s][0], shapes[s][1],
                                shapes[s][2], shapes[s][3], causal, &m[k]);
    return status;
}
