/*
 * Decoding against what this GPU's memory gives: rung 12, the same without
 * parts, and rung 10, which makes no difference between one query and many,
 * beside a copy, in turns, in one run. Tab-separated on stdout; percent: the
 * bytes that must be moved (Q, K, V, O and L once), in a second, as a share of
 * the copy's. docs/measuring.md
 *
 *     bench_decode [small]
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#include "07_cuda/host/device.h"
#include "07_cuda/bench/timing.h"

/* One array to another: far more than the L2 holds. */
struct copy {
    void *from, *to;
    size_t bytes;
};

static int start_copy(void *self)
{
    copy *c = (copy *)self;

    return cudaMemcpy(c->to, c->from, c->bytes, cudaMemcpyDeviceToDevice);
}

static int start_split_kv(void *self)
{
    return rung_split_kv((rung_problem *)self);
}

static int start_one_part(void *self)
{
    rung_problem *p = (rung_problem *)self;
    int Bc = rung_Bc(&ladder[RUNG_split_kv], p->D);

    return rung_split_kv_by(p, (p->Nk + Bc - 1) / Bc * Bc);
}

static int start_pingpong(void *self)
{
    return rung_pingpong((rung_problem *)self);
}

static double bytes_of(const rung_problem *p)
{
    void *at[ARRAYS];
    size_t size[ARRAYS];

    rung_arrays(p, at, size);
    return (double)size[Q_IN] + (double)size[K_IN] + (double)size[V_IN] +
           (double)size[O_OUT] + (double)size[L_OUT];
}

struct shape {
    int batch, heads, kv_heads, Nq, Nk, d;
};

/* Returns 1 if a figure is not to be believed: reading alone may be a little
 * faster than copying, not by a fifth. */
static int print(const shape *s, const contender *c, double copied)
{
    double rate = c->work / c->median;

    if (!(rate <= 1.2 * copied)) {
        fprintf(stderr,
                "bench_decode: %s: %.0f GB/s, and a copy %.0f: not believed\n",
                c->name, rate / 1e9, copied / 1e9);
        return 1;
    }
    printf("%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.2f\t%.1f\t%.1f\t%.3f\n", c->name,
           "bf16", s->batch, s->heads, s->kv_heads, s->Nq, s->Nk, s->d,
           c->median * 1e6, rate / 1e9, 100 * rate / copied, c->spread);
    fflush(stdout);
    return 0;
}

static int bench(const shape *s, copy *two, int rounds)
{
    rung_problem p;
    int refused = 0,
        error = problem_decoding(&p, s->batch * s->heads,
                                 s->heads / s->kv_heads, s->Nq, s->Nk, s->d);
    double work = error ? 0 : bytes_of(&p);
    contender c[] = {
        {"split_kv", start_split_kv, &p, work, 0, 0},
        {"split_kv-parts", start_one_part, &p, work, 0, 0},
        {"pingpong", start_pingpong, &p, work, 0, 0},
        {"copy", start_copy, two, 2.0 * (double)two->bytes, 0, 0},
    };
    const int n = sizeof c / sizeof c[0];

    if (!error)
        error = time_in_turns(c, n, rounds);
    problem_free(&p);
    if (error) {
        fprintf(stderr, "bench_decode: %s\n", device_error(error));
        return 1;
    }
    for (int k = 0; k < n; k++)
        refused |= print(s, &c[k], c[n - 1].work / c[n - 1].median);
    return refused;
}

int main(int argc, char **argv)
{
    static const shape shapes[] = {
        {16, 32, 8, 1, 8192, 128},  {16, 32, 8, 4, 8192, 128},
        {16, 32, 32, 1, 4096, 128}, {1, 32, 8, 1, 131072, 128},
        {3, 64, 8, 1, 32768, 128},  {16, 32, 8, 1, 16384, 64},
        {1, 32, 32, 1, 65536, 64},
    };
    static const shape little = {1, 8, 2, 1, 1000, 128};
    bool small = argc > 1 && !strcmp(argv[1], "small");
    copy two = {nullptr, nullptr, (size_t)1 << (small ? 20 : 30)};
    int error, status = 0;

    if (!rung_runs_here(&ladder[RUNG_split_kv])) {
        fprintf(stderr, "bench_decode: rung 12 needs a Hopper GPU\n");
        return 0;
    }
    error = cudaMalloc(&two.from, two.bytes);
    if (!error)
        error = cudaMalloc(&two.to, two.bytes);
    if (!error)
        error = cudaMemset(two.from, 0x3c, two.bytes);
    if (error) {
        fprintf(stderr, "bench_decode: the copy: %s\n", device_error(error));
        return 1;
    }
    printf("step\tdtype\tB\theads\tkv_heads\tNq\tNk\td\tus\tgb_s\tpercent\t"
           "spread\n");
    if (small)
        return bench(&little, &two, 1);
    for (const shape &s : shapes)
        status |= bench(&s, &two, 11);
    return status;
}
