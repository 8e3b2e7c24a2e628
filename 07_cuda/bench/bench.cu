/*
 * The rungs against this GPU's own peaks, in turns, in one run. Tab-separated
 * on stdout; a figure above the peak is refused. docs/measuring.md
 *
 *     bench forward|backward|decode [small]
 *
 * forward    every rung beside a cuBLAS matrix product of its type; how fast
 *            the GPU copies is on stderr
 * backward   the same of the way back: TFLOP/s count five products, however
 *            many a rung has; O and L are a forward rung's
 * decode     rung 12, the same without parts, and rung 10, which makes no
 *            difference between one query and many, beside a copy; percent: the
 *            bytes that must be moved (Q, K, V, O and L once), in a second, as
 *            a share of the copy's
 *
 * small: little problems, to be tried with the emulator, which has neither time
 * nor cuBLAS.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "07_cuda/backward/gradient_rung.h"
#include "07_cuda/bench/matmul.h"
#include "07_cuda/bench/timing.h"
#include "07_cuda/host/device.h"

static int fail(const char *what, int error)
{
    fprintf(stderr, "bench: %s: %s\n", what, device_error(error));
    return 1;
}

static bool decodes(const shape &s)
{
    return s.Nq < s.Nk;
}

/* One line; 1 if the figure is not to be believed. Where there is no ceiling,
 * as without cuBLAS, the rate is still shown; decoding always has one. */
static int print(const contender &c, const shape &s, precision type,
                 double peak)
{
    double rate = c.work / c.median;

    if (decodes(s) ? !(rate <= c.most * peak) : rate > c.most * peak) {
        fprintf(stderr,
                "bench: %s: %.4g a second is above the peak, %.4g: "
                "not believed\n",
                c.name, rate, peak);
        return 1;
    }
    printf("%s\t%s\t%d\t%d", c.name, precision_name(type), s.batch, s.heads);
    if (decodes(s))
        printf("\t%d\t%d\t%d\t%d\t%.2f\t%.1f", s.kv_heads, s.Nq, s.Nk, s.d,
               c.median * 1e6, rate / 1e9);
    else
        printf("\t%d\t%d\t%d\t%.5f\t%.2f", s.Nk, s.d, s.causal, c.median * 1e3,
               rate / 1e12);
    printf("\t%.1f\t%.3f\n", 100 * rate / peak, c.spread);
    fflush(stdout);
    return 0;
}

/* Times them, and what they are compared with: the last, if it can be run. */
static int compare(std::vector<contender> &c, const contender &ceiling,
                   const shape &s, precision type)
{
    if (ceiling.start)
        c.push_back(ceiling);
    if (c.empty())
        return 0;

    int refused = 0, error = time_in_turns(c, type == FP32 ? 3 : 11);
    const contender &last = c.back();
    double peak = ceiling.start ? last.work / last.median : NAN;

    if (error)
        return fail("a rung", error);
    for (const contender &one : c)
        refused |= print(one, s, type, peak);
    return refused;
}

/* --- Forward -------------------------------------------------------------- */

/* The rungs of that type, and rung 7 without each of its parts. */
static int forward(const shape &s, precision type, const contender &ceiling)
{
    static const struct {
        const char *name;
        int part;
    } parts[] = {{"full-rows_32", ROWS_32},
                 {"full-exp2", EXP2},
                 {"full-edges", EDGES},
                 {"full-skip", SKIP},
                 {"full-longest", LONGEST}};
    const double twice = 2.1; /* the peak of 16 bits, in fp8 */
    std::vector<contender> c;
    rung_problem p;
    int error = problem_random(&p, type, s);
    double work = problem_flops(&p);

    for (const rung &r : ladder)
        if (rung_runs_here(&r) && r.type == type && rung_Br(&r, s.d))
            c.push_back({r.name, [&r, &p] { return r.run(&p); }, work,
                         r.fp8 ? twice : 1.05});
    if (type == BF16 && rung_runs_here(&ladder[RUNG_fp8]))
        c.push_back({"fp8-attend", [&p] { return fp8_attend(&p); }, work,
                     twice}); /* of what rung 11 has quantised */
    for (const auto &without : parts)
        if (type == BF16)
            c.push_back(
                {without.name,
                 [&without, &p] { return rung_full_without(&p, without.part); },
                 work});
    error = error ? fail("a problem", error) : compare(c, ceiling, s, type);
    problem_free(&p);
    return error;
}

/* --- Backward ------------------------------------------------------------- */

/* The forward pass of p->forward; dO and the gradients are arrays of another
 * problem of the same size. */
static int prepare(gradient_problem *p, const rung_problem *other)
{
    const rung_problem &f = p->forward;
    size_t size = (size_t)f.heads * f.Nq * f.D * sizeof(float);
    int error = f.type == FP32 ? rung_flash2(&f) : rung_swizzle(&f);

    p->dO = other->Q;
    p->dQ = other->O;
    p->dK = (void *)other->K;
    p->dV = (void *)other->V;
    p->D = other->L;
    if (!error)
        error = cudaMalloc(&p->dQ_sum, size);
    return error ? error : cudaDeviceSynchronize();
}

static int backward(const shape &s, precision type, const contender &ceiling)
{
    static const char *const names[] = {
        "backward_atomics", "backward_two_kernels", "backward_tensor_cores",
        "backward_wgmma", "backward_reduce"};
    static_assert(sizeof names / sizeof names[0] == BACKWARD_RUNGS, "one each");
    std::vector<contender> c;
    gradient_problem p = {};
    rung_problem other;
    int error = problem_random(&p.forward, type, s);
    int other_error = problem_random(&other, type, s);

    error = error ? error : other_error;
    if (!error)
        error = prepare(&p, &other);
    for (const gradient_rung &r : backward_ladder)
        if (r.type == type && s.d >= r.narrowest && s.d <= r.widest &&
            (!r.hopper || rung_runs_here(&ladder[FIRST_HOPPER])))
            c.push_back({names[&r - backward_ladder],
                         [&r, &p] { return r.run(&p); },
                         2.5 * problem_flops(&p.forward)});
    error = error ? fail("a problem", error) : compare(c, ceiling, s, type);
    cudaFree(p.dQ_sum);
    problem_free(&p.forward);
    problem_free(&other);
    return error;
}

/* --- Decoding ------------------------------------------------------------- */

static int decode(const shape &s, precision type, const contender &ceiling)
{
    device_array all[ARRAYS];
    double work = 0;
    rung_problem p;
    int error = problem_random(&p, type, s);
    int Bc = rung_Bc(&ladder[RUNG_split_kv], s.d),
        keys = (s.Nk + Bc - 1) / Bc * Bc;

    rung_arrays(&p, all);
    for (int a = Q_IN; a <= L_OUT; a++)
        work += (double)all[a].n * (double)all[a].size;
    const double most = 1.2; /* reading may be a little faster than copying */
    std::vector<contender> c = {
        {"split_kv", [&p] { return rung_split_kv(&p); }, work, most},
        {"split_kv-parts", [&p, keys] { return rung_split_kv_by(&p, keys); },
         work, most},
        {"pingpong", [&p] { return rung_pingpong(&p); }, work, most}};

    error = error ? fail("a problem", error) : compare(c, ceiling, s, type);
    problem_free(&p);
    return error;
}

/* --- What is compared with ------------------------------------------------ */

/* One array to another: far more than the L2 holds. */
struct copy {
    void *from, *to;
    size_t bytes;
};

static int copy_new(copy *c, bool small)
{
    c->bytes = (size_t)1 << (small ? 20 : 30);

    int error = cudaMalloc(&c->from, c->bytes);
    if (!error)
        error = cudaMalloc(&c->to, c->bytes);
    return error ? error : cudaMemset(c->from, 0x3c, c->bytes);
}

static contender copy_contender(const copy *c)
{
    return {"copy",
            [c] {
                return cudaMemcpy(c->to, c->from, c->bytes,
                                  cudaMemcpyDeviceToDevice);
            },
            2.0 * (double)c->bytes};
}

static int print_copy(const copy *two)
{
    std::vector<contender> c = {copy_contender(two)};
    int error = time_in_turns(c, 11);

    if (error)
        return fail("the copy", error);
    fprintf(stderr, "copy: %.0f GB/s, read and written\n",
            c[0].work / c[0].median / 1e9);
    return 0;
}

/* --- The shapes ----------------------------------------------------------- */

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
static const std::vector<shape> small_pair = {square(1, 2, 70, 64)};
static const std::vector<shape> small_decoding = {
    {1, 8, 2, 1, 1000, 128, true}};

/* Plain and causal, in fp32 and in bf16; fp32 takes long: not the longest. */
static int bench_pairs(int (*run)(const shape &, precision, const contender &),
                       std::vector<shape> shapes, bool small)
{
    matmul m[2] = {};
    int status = 0;

    for (int k = 0; k < 2 && !small; k++) {
        int error = matmul_new(&m[k], k ? BF16 : FP32);

        if (error)
            return fail("cuBLAS", error);
    }
    if (!small && !m[0].handle)
        fprintf(stderr, "bench: without libcublas.so: percent is nan\n");
    printf("step\tdtype\tB\tH\tN\td\tcausal\tms\ttflops\tpercent\tspread\n");
    for (shape &s : shapes)
        for (int causal = 0; causal < 2; causal++)
            for (int k = 0; k < 2; k++) {
                const contender none = {}, cublas = matmul_contender(&m[k]);

                s.causal = causal;
                if (k == 1 || s.Nk <= 4096)
                    status |=
                        run(s, k ? BF16 : FP32, m[k].handle ? cublas : none);
            }
    for (matmul &one : m)
        matmul_free(&one);
    return status;
}

static int bench_decode(const std::vector<shape> &shapes, const copy *two)
{
    int status = 0;

    if (!rung_runs_here(&ladder[RUNG_split_kv])) {
        fprintf(stderr, "bench: decoding needs a Hopper GPU\n");
        return 0;
    }
    printf("step\tdtype\tB\theads\tkv_heads\tNq\tNk\td\tus\tgb_s\tpercent\t"
           "spread\n");
    for (const shape &s : shapes)
        status |= decode(s, BF16, copy_contender(two));
    return status;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    bool small = argc > 2 && !strcmp(argv[2], "small");
    copy two = {};
    int error, status;

    rung_runs_here(&ladder[FIRST_HOPPER]); /* no GPU: this ends it */
    if (!strcmp(what, "backward"))
        return bench_pairs(backward, small ? small_pair : for_backward, small);
    error = copy_new(&two, small);
    if (error)
        return fail("the copy", error);
    if (!strcmp(what, "forward")) {
        status = print_copy(&two);
        return status |
               bench_pairs(forward, small ? small_pair : for_forward, small);
    }
    if (!strcmp(what, "decode"))
        return bench_decode(small ? small_decoding : for_decoding, &two);
    fprintf(stderr, "usage: bench forward|backward|decode [small]\n");
    return 2;
}
