/*
 * Times the rungs in turns and compares them with this GPU's measured peaks.
 * Prints tab-separated lines on stdout. A rung whose result is wrong is not
 * timed, and a rate far above the peak is an error. Rungs that the GPU cannot
 * run are listed on stderr, with the reason. docs/machine_code.md
 *
 *     bench table|decode [small]
 *
 * table times every rung, rung 7 without each of its optimisations, and the
 * backward rungs. It compares them with a cuBLAS matrix product of their type.
 * TFLOP/s of a backward rung count five products, even if it computes seven.
 *
 * decode times rung 12, rung 12 with all keys in one part, and rung 10. Q, K,
 * V, O and L must be moved once. The column percent is the rate of these bytes
 * in percent of a copy's rate.
 *
 * small selects small problems for the PTX interpreter, which has no clock and
 * no cuBLAS.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <chrono>

#include "07_cuda/bench/exact.h"
#include "07_cuda/bench/full_without.h"
#include "07_cuda/bench/timing.h"
#include "07_cuda/host/device.h"

static int fail(const char *what, int error)
{
    fprintf(stderr, "bench: %s: %s\n", what, device_error(error));
    return 1;
}

static int freed(int error, int status)
{
    return error ? fail("cudaFree", error) : status;
}

static bool decodes(const shape &s)
{
    return s.Nq < s.Nk;
}

/* Prints the line of a contender. Returns 1 with a message if its rate is above
 * c.max_rate peaks. A NaN peak (no cuBLAS) is allowed, except in decoding. */
static int print(const contender &c, const shape &s, precision type,
                 double peak)
{
    double rate = c.work / c.median;

    if (decodes(s) ? !(rate <= c.max_rate * peak) : rate > c.max_rate * peak) {
        fprintf(stderr,
                "bench: %s: %.4g a second is above the peak, %.4g: "
                "not printed\n",
                c.name, rate, peak);
        return 1;
    }
    printf("%s\t%s\t%s\t%d\t%d", device_name(), c.name, precision_name(type),
           s.batch, s.heads);
    if (decodes(s))
        printf("\t%d\t%d\t%d\t%d\t%.2f\t%.1f", s.kv_heads, s.Nq, s.Nk, s.d,
               c.median * 1e6, rate / 1e9);
    else
        printf("\t%d\t%d\t%d\t%.5f\t%.2f", s.Nk, s.d, s.causal, c.median * 1e3,
               rate / 1e12);
    printf("\t%.1f\t%.3f\t%.1e", 100 * rate / peak, c.spread, c.error);
    if (!decodes(s))
        printf("\t%.5f", c.cold * 1e3);
    puts("");
    fflush(stdout);
    return 0;
}

/* Times the contenders whose results are close to float64, and prints a line
 * for each. Returns 1 with a message if one fails or is wrong. */
static int compare(std::vector<contender> &c, const contender &ceiling,
                   const shape &s, precision type,
                   const std::function<std::vector<exact_row>()> &exact)
{
    std::vector<contender> right;
    std::vector<exact_row> rows;
    int refused = 0;

    if (!c.empty())
        rows = exact();
    worst_error(rows); /* fills the rows with NaNs */
    for (contender &one : c) {
        int error = one.start();

        error = error ? error : (int)cudaDeviceSynchronize();
        if (error == cudaErrorMemoryAllocation) { /* rung 0's S is too large */
            cudaGetLastError();
            fprintf(stderr, "left out: %s, N %d: no memory for N^2 scores\n",
                    one.name, s.Nk);
            continue;
        }
        if (error == NO_KERNEL) {
            fprintf(stderr, "left out: %s: not compiled\n", one.name);
            continue;
        }
        if (error)
            return fail(one.name, error);
        one.error = worst_error(rows);
        if (one.error <= one.allowed) {
            right.push_back(one);
            continue;
        }
        fprintf(stderr,
                "bench: %s, %s, N %d, d %d: %.1e from float64, "
                "where %.0e is allowed: not timed\n",
                one.name, precision_name(type), s.Nk, s.d, one.error,
                one.allowed);
        refused = 1;
    }
    if (right.empty())
        return refused;
    if (ceiling.start)
        right.push_back(ceiling);

    const int rounds = type == FP32 ? 3 : 11;
    int error = time_in_turns(right, rounds);

    if (!error && !decodes(s))
        error = time_cold(right, rounds);
    const contender &last = right.back();
    double peak = ceiling.start ? last.work / last.median : NAN;

    if (error)
        return fail("a rung", error);
    for (const contender &one : right)
        refused |= print(one, s, type, peak);
    return refused;
}

static double allowed(precision type)
{
    return type == FP32 ? 1e-4 : 0.02;
}

static const char *const names[] = {"backward_atomics", "backward_two_kernels",
                                    "backward_tensor_cores", "backward_wgmma",
                                    "backward_reduce"};
static_assert(sizeof names / sizeof names[0] == BACKWARD_RUNGS, "one each");

typedef int benchmark(const shape &s, precision type, const contender &ceiling);

static int forward(const shape &s, precision type, const contender &ceiling)
{
    const double twice = 2.1;  /* highest rate in fp8, in peaks of 16 bits */
    const double coarse = 0.2; /* allowed error in fp8, for rows of few keys */
    std::vector<contender> c;
    rung_problem p;
    int error = problem_random(&p, type, s);
    double work = problem_flops(&p);

    for (const rung &r : ladder) {
        if (r.type != type || !runs_here(&r.needs, s.d, nullptr))
            continue;
        c.push_back({r.name, [&r, &p] { return r.run(&p); }, work,
                     r.fp8 ? twice : 1.05, r.fp8 ? coarse : allowed(type)});
        /* fp8-attend uses the inputs that the fp8 rung has quantised. */
        if (r.fp8)
            c.push_back({"fp8-attend", [&p] { return fp8_attend(&p); }, work,
                         twice, coarse});
        for (const auto &without : full_without)
            if (&r == &ladder[RUNG_full])
                c.push_back({without.name,
                             [&without, &p] { return without.run(&p); }, work});
    }
    error =
        error ? fail("a problem", error)
              : compare(c, ceiling, s, type, [&] { return exact_outputs(p); });
    return freed(problem_free(&p), error);
}

/* dO, D and the gradients are arrays of another problem of the same size. */
static int backward(const shape &s, precision type, const contender &ceiling)
{
    rung_problem f, other;
    int error = problem_random(&f, type, s);
    int other_error = problem_random(&other, type, s);
    gradient_problem p = {
        f,       other.Q, other.O, (void *)other.K, (void *)other.V,
        other.L, nullptr};
    const rung &before = ladder[type == FP32 ? RUNG_flash2 : RUNG_swizzle];
    std::vector<contender> c;

    error = error ? error : other_error;
    for (const gradient_rung &r : backward_ladder) {
        if (r.type == type && runs_here(&r.needs, s.d, nullptr))
            c.push_back({names[&r - backward_ladder],
                         [&r, &p] { return r.run(&p); },
                         2.5 * problem_flops(&f), 1.05, allowed(type)});
    }
    if (!error && !c.empty())
        error = before.run(&f);
    if (!error)
        error = cudaMalloc(&p.dQ_sum, (size_t)f.heads * f.Nq * f.D * 4);
    error = error ? fail("a problem", error)
                  : compare(c, ceiling, s, type,
                            [&] { return exact_gradients(p); });
    error = freed(cudaFree(p.dQ_sum), error);
    error = freed(problem_free(&f), error);
    return freed(problem_free(&other), error);
}

static int decode(const shape &s, precision type, const contender &ceiling)
{
    /* reading may be a little faster than copying */
    const double max_rate = 1.2;
    int Bc = rung_Bc(&ladder[RUNG_split_kv], s.d);
    int keys = (s.Nk + Bc - 1) / Bc * Bc;
    device_array all[ARRAYS];
    double work = 0;
    rung_problem p;
    int error = problem_random(&p, type, s);

    rung_arrays(&p, all);
    for (int a = Q_IN; a <= L_OUT; a++)
        work += (double)all[a].n * (double)all[a].size;
    std::vector<contender> c = {
        {"split_kv", [&p] { return rung_split_kv(&p); }, work, max_rate},
        {"split_kv-parts", [&p, keys] { return rung_split_kv_by(&p, keys); },
         work, max_rate},
        {"pingpong", [&p] { return rung_pingpong(&p); }, work, max_rate}};

    error =
        error ? fail("a problem", error)
              : compare(c, ceiling, s, type, [&] { return exact_outputs(p); });
    return freed(problem_free(&p), error);
}

/* Makes a contender that copies arrays[0] to arrays[1]: 1 GiB, far more than L2
 * has, or 1 MiB. The caller frees both. */
static int make_copy(contender *copy, void *arrays[2], bool small)
{
    const size_t bytes = (size_t)1 << (small ? 20 : 30);
    int error = cudaMalloc(&arrays[0], bytes);

    error = error ? error : (int)cudaMalloc(&arrays[1], bytes);
    if (!error)
        *copy = {"copy",
                 [=] {
                     return cudaMemcpy(arrays[1], arrays[0], bytes,
                                       cudaMemcpyDeviceToDevice);
                 },
                 2.0 * (double)bytes};
    return error ? error : (int)cudaMemset(arrays[0], 0x3c, bytes);
}

/* By default each synchronisation returns freed memory to the system, and rungs
 * 0 and 12 must map it again. */
static int keep_freed_memory()
{
    cudaMemPool_t pool;
    uint64_t most = UINT64_MAX;
    int error = cudaDeviceGetDefaultMemPool(&pool, 0);

    return error ? error
                 : (int)cudaMemPoolSetAttribute(
                       pool, cudaMemPoolAttrReleaseThreshold, &most);
}

/* Returns the pool's free memory to the system: rung 0 needs 4 GiB for S. */
static int return_memory()
{
    cudaMemPool_t pool;
    int error = cudaDeviceGetDefaultMemPool(&pool, 0);

    return error ? error : (int)cudaMemPoolTrimTo(pool, 0);
}

enum { TABLE_SECONDS = 150 };

static shape square(int batch, int heads, int N, int d)
{
    return {batch, heads, heads, N, N, d, false};
}

static const std::vector<shape> for_forward = {
    square(4, 16, 4096, 64), square(4, 16, 4096, 128), square(16, 12, 64, 64),
    square(16, 12, 256, 64), square(16, 12, 2048, 64), square(8, 12, 64, 64)};
static const std::vector<shape> for_backward = {square(4, 16, 4096, 64),
                                                square(4, 16, 4096, 128),
                                                square(1, 16, 16384, 128)};
static const std::vector<shape> for_decoding = {
    {16, 32, 8, 1, 8192, 128, true},  {16, 32, 8, 4, 8192, 128, true},
    {16, 32, 32, 1, 4096, 128, true}, {1, 32, 8, 1, 131072, 128, true},
    {3, 64, 8, 1, 32768, 128, true},  {16, 32, 8, 1, 16384, 64, true},
    {1, 32, 32, 1, 65536, 64, true}};
static const std::vector<shape> small_pair = {square(1, 2, 70, 64),
                                              square(1, 2, 70, 128)};
static const std::vector<shape> small_decoding = {
    {1, 8, 2, 1, 1000, 128, true}};

static double now(void)
{
    using namespace std::chrono;

    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/* Returns the largest N in fp32. A card that drives a display, or under Windows,
 * ends a launch that takes longer than about two seconds, as rung 1 may. */
static int longest_fp32(bool small)
{
    int limited = 0;

    if (cudaDeviceGetAttribute(&limited, cudaDevAttrKernelExecTimeout, 0) ||
        !limited)
        return 4096;
    fprintf(stderr, "the driver limits the time of a launch (a display uses "
                    "this card): in fp32 N is at most 1024\n");
    return small ? 35 : 1024;
}

/* Runs fp32 (Nk <= 4096, with at most `longest` keys) and bf16, each without
 * and with a causal limit. */
static int bench_pairs(benchmark *run, const std::vector<shape> &shapes,
                       const matmul m[2], int longest, double until)
{
    int status = 0;

    for (const shape &one : shapes)
        for (int k = 0; k < 4; k++) {
            shape s = one;

            if (k < 2 && s.Nk <= 4096)
                s.Nq = s.Nk = std::min(s.Nk, longest);
            s.causal = k & 1;
            if (now() > until)
                fprintf(stderr, "left out: (%d, %d, %d, %d)%s: out of time\n",
                        s.batch, s.heads, s.Nk, s.d, s.causal ? " causal" : "");
            else if (k >= 2 || s.Nk <= 4096) {
                status |=
                    run(s, k < 2 ? FP32 : BF16, matmul_contender(&m[k / 2]));
                status = freed(return_memory(), status);
            }
        }
    return status;
}

static int bench_table(bool small)
{
    const double until = now() + TABLE_SECONDS;
    const int longest = longest_fp32(small);
    matmul m[2] = {};
    int status = 0;

    for (int k = 0; k < 2 && !small; k++) {
        int error = matmul_new(&m[k], k ? BF16 : FP32);

        if (error)
            return fail("cuBLAS", error);
    }
    if (!small && !m[0].handle)
        fprintf(stderr, "bench: libcublas.so: not found, percent is nan\n");
    printf("card\tstep\tdtype\tB\tH\tN\td\tcausal\tms\ttflops\tpercent\t"
           "spread\terror\tcold_ms\n");
    status |= bench_pairs(forward, small ? small_pair : for_forward, m, longest,
                          until);
    status |= bench_pairs(backward, small ? small_pair : for_backward, m,
                          longest, until);
    for (matmul &one : m)
        status |= freed(matmul_free(&one), 0);
    return status;
}

static int bench_decode(const std::vector<shape> &shapes, const contender &copy)
{
    int status = 0;

    printf("card\tstep\tdtype\tB\theads\tkv_heads\tNq\tNk\td\tus\tgb_s\t"
           "percent\tspread\terror\n");
    for (const shape &s : shapes)
        if (runs_here(&ladder[RUNG_pingpong].needs, s.d, nullptr))
            status |= decode(s, BF16, copy);
    return status;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    bool small = argc > 2 && !strcmp(argv[2], "small");
    bool decoding = !strcmp(what, "decode");
    std::vector<contender> copy(1);
    void *copied[2] = {};
    int error, status = 0;

    if (strcmp(what, "table") && !decoding) {
        fprintf(stderr, "usage: bench table|decode [small]\n");
        return 2;
    }
    for (const rung &r : ladder)
        print_left_out(stderr, r.name, &r.needs);
    for (const gradient_rung &r : backward_ladder)
        print_left_out(stderr, names[&r - backward_ladder], &r.needs);
    error = keep_freed_memory();
    if (!error)
        error = make_copy(&copy[0], copied, small);
    if (!error)
        error = time_in_turns(copy, 11);
    if (error)
        return fail("the copy", error);
    fprintf(stderr, "copy: %.0f GB/s, read and written\n",
            copy[0].work / copy[0].median / 1e9);
    if (decoding)
        status = bench_decode(small ? small_decoding : for_decoding, copy[0]);
    for (void *array : copied)
        status = freed(cudaFree(array), status);
    return decoding ? status : status | bench_table(small);
}
