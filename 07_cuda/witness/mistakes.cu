/*
 * Mistakes that one can see in PTX, each beside the same kernel without it:
 * ptx_check.sh runs `mistakes NAME right`, which must give out[i] = i, and
 * `mistakes NAME wrong`, which the interpreter must not let pass.
 */
#include <stdio.h>
#include <string.h>

enum { N = 128 };
#define PTX(...) asm volatile(__VA_ARGS__ : "memory")

static __device__ unsigned at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* Another warp's number. */
static __device__ int other(int i)
{
    return (i + 64) % N;
}

/* --- Copies ------------------------------------------------------------------ */

static __device__ void copy(float *to, const float *from)
{
    PTX("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at(to)), "l"(from));
    PTX("cp.async.commit_group;" ::);
}

template <bool wrong> __global__ void waits_for_one_copy_less(float *out)
{
    __shared__ __align__(16) float tile[2][4 * N];
    int i = threadIdx.x;

    copy(&tile[0][4 * i], out + 4 * i);
    copy(&tile[1][4 * i], out + 4 * i);
    PTX("cp.async.wait_group %0;" ::"n"(wrong));
    float x = tile[1][4 * i];
    PTX("cp.async.wait_group 0;" ::);
    out[4 * i] = x;
}

/* --- Threads that wait ------------------------------------------------------- */

template <bool wrong> __global__ void leaves_out_the_barrier(float *out)
{
    __shared__ float tile[N];
    int i = threadIdx.x;

    tile[i] = i;
    if (!wrong)
        __syncthreads();
    out[other(i)] = tile[other(i)];
}

template <bool wrong> __global__ void names_a_barrier_for_too_few(float *out)
{
    __shared__ float tile[N];
    int i = threadIdx.x;

    tile[i] = i;
    PTX("bar.sync 1, %0;" ::"n"(wrong ? N - 32 : N));
    out[other(i)] = tile[other(i)];
}

static __device__ void init(unsigned long long *b, int arrivals)
{
    if (threadIdx.x == 0)
        PTX("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(b)), "r"(arrivals));
    __syncthreads();
}
static __device__ void wait(unsigned long long *b, int parity)
{
    PTX("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], "
        "%1;"
        " @!p bra again; }" ::"r"(at(b)),
        "r"(parity));
}

template <int arrivals, int parity> static __device__ void hand_over(float *out)
{
    __shared__ unsigned long long b;
    __shared__ float tile[N];
    int i = threadIdx.x;

    init(&b, arrivals);
    tile[i] = i;
    PTX("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at(&b)));
    wait(&b, parity);
    out[other(i)] = tile[other(i)];
}
template <bool wrong> __global__ void waits_for_the_other_phase(float *out)
{
    hand_over<N, wrong>(out);
}
template <bool wrong> __global__ void expects_one_arrival_too_many(float *out)
{
    hand_over<wrong ? N + 1 : N, 0>(out);
}

template <bool wrong> __global__ void asks_a_lane_that_is_not_here(float *out)
{
    int i = threadIdx.x;

    if (i % 2)
        out[i] = i;
    else
        out[i] =
            __shfl_sync(0x55555555, (float)i - 2 * wrong, wrong ? i + 1 : i);
}

/* --- Memory ------------------------------------------------------------------ */

template <bool wrong> __global__ void writes_beyond_the_array(float *out)
{
    int i = threadIdx.x;

    out[i < 4 && wrong ? 4 * N + i : i] = i;
}

template <bool wrong> __global__ void reads_what_nobody_wrote(float *out)
{
    __shared__ float tile[N + 1];
    int i = threadIdx.x;

    tile[i] = i;
    __syncthreads();
    out[i] = tile[i + wrong] - wrong;
}

template <bool wrong> __global__ void takes_four_from_anywhere(float *out)
{
    __shared__ __align__(16) float tile[4 * N + 4];
    int i = threadIdx.x;

    for (int e = 0; e < 4; e++)
        tile[4 * i + e] = i;
    float x[4];
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                 : "r"(at(tile + 4 * i + wrong)));
    out[i] = x[0];
}

/* --- wgmma ------------------------------------------------------------------- */

/* A 64 x 16, from registers, times B 16 x 8 in shared memory: all are 1, and so
 * each sum is 16. The descriptor is for a swizzle of 32 bytes. */
template <bool fenced, bool waited> static __device__ void multiply(float *out)
{
    __shared__ __align__(1024) unsigned short B[N];
    float d[4];
    unsigned one = 0x3f803f80;
    unsigned long long b = at(B) >> 4 | 1ull << 16 | 16ull << 32 | 3ull << 62;

    B[threadIdx.x] = 0x3f80;
    if (fenced)
        PTX("fence.proxy.async;" ::);
    __syncthreads();
    PTX("wgmma.fence.sync.aligned;" ::);
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 0, 0; wgmma.mma_async.sync."
                 "aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4,"
                 " %4}, %5, p, 1, 1, 0; }"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(one), "l"(b)
                 : "memory");
    PTX("wgmma.commit_group.sync.aligned;" ::);
    PTX("wgmma.wait_group.sync.aligned %0;" ::"n"(!waited));
    out[threadIdx.x] = d[0] + d[3] - 32 + threadIdx.x;
    PTX("wgmma.wait_group.sync.aligned 0;" ::);
}
template <bool wrong> __global__ void multiplies_what_was_not_fenced(float *out)
{
    multiply<!wrong, true>(out);
}
template <bool wrong> __global__ void reads_a_product_too_early(float *out)
{
    multiply<true, !wrong>(out);
}

/* --- All of them ------------------------------------------------------------- */

#define MISTAKE(name)                                                          \
    {                                                                          \
#name, name < false>, name < true>                                     \
    }
static const struct {
    const char *name;
    void (*right)(float *), (*wrong)(float *);
} mistakes[] = {
    MISTAKE(waits_for_one_copy_less),
    MISTAKE(leaves_out_the_barrier),
    MISTAKE(names_a_barrier_for_too_few),
    MISTAKE(waits_for_the_other_phase),
    MISTAKE(expects_one_arrival_too_many),
    MISTAKE(asks_a_lane_that_is_not_here),
    MISTAKE(writes_beyond_the_array),
    MISTAKE(reads_what_nobody_wrote),
    MISTAKE(takes_four_from_anywhere),
    MISTAKE(multiplies_what_was_not_fenced),
    MISTAKE(reads_a_product_too_early),
};

/* Without a name: all names. */
int main(int argc, char *argv[])
{
    float *out, got[4 * N];
    int bad = 0;

    for (const auto &m : mistakes) {
        if (argc < 3) {
            puts(m.name);
            continue;
        }
        if (strcmp(argv[1], m.name))
            continue;
        bool four = &m == &mistakes[0]; /* numbers a thread */
        for (int i = 0; i < 4 * N; i++)
            got[i] = four ? i / 4 : -1;
        cudaMalloc(&out, sizeof got);
        cudaMemcpy(out, got, sizeof got, cudaMemcpyHostToDevice);
        (strcmp(argv[2], "wrong") ? m.right : m.wrong)<<<1, N>>>(out);
        if (cudaDeviceSynchronize() ||
            cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost))
            bad = 1;
        for (int i = 0; i < N; i++)
            if (!(got[four ? 4 * i : i] == i) && !bad++)
                printf("out[%d] is %g\n", i, got[i]);
        return bad != 0;
    }
    return argc > 2;
}
