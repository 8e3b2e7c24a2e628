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

__global__ void waits_for_one_copy_less(float *out, bool wrong)
{
    __shared__ __align__(16) float tile[2][4 * N];
    int i = threadIdx.x;

    copy(&tile[0][4 * i], out + 4 * i);
    copy(&tile[1][4 * i], out + 4 * i);
    if (wrong)
        PTX("cp.async.wait_group 1;" ::);
    else
        PTX("cp.async.wait_group 0;" ::);
    float x = tile[1][4 * i];
    PTX("cp.async.wait_group 0;" ::);
    out[4 * i] = x;
}

/* --- Threads that wait ------------------------------------------------------- */

__global__ void leaves_out_the_barrier(float *out, bool wrong)
{
    __shared__ float tile[N];
    int i = threadIdx.x;

    tile[i] = i;
    if (!wrong)
        __syncthreads();
    out[other(i)] = tile[other(i)];
}

__global__ void names_a_barrier_for_too_few(float *out, bool wrong)
{
    __shared__ float tile[N];
    int i = threadIdx.x;

    tile[i] = i;
    PTX("bar.sync 1, %0;" ::"r"(wrong ? N - 32 : N));
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

static __device__ void hand_over(float *out, int arrivals, int parity)
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
__global__ void waits_for_the_other_phase(float *out, bool wrong)
{
    hand_over(out, N, wrong);
}
__global__ void expects_one_arrival_too_many(float *out, bool wrong)
{
    hand_over(out, wrong ? N + 1 : N, 0);
}

__global__ void asks_a_lane_that_is_not_here(float *out, bool wrong)
{
    int i = threadIdx.x;

    if (i % 2)
        out[i] = i;
    else
        out[i] =
            __shfl_sync(0x55555555, (float)i - 2 * wrong, wrong ? i + 1 : i);
}

/* --- Memory ------------------------------------------------------------------ */

__global__ void writes_beyond_the_array(float *out, bool wrong)
{
    int i = threadIdx.x;

    out[i < 4 && wrong ? 4 * N + i : i] = i;
}

__global__ void reads_what_nobody_wrote(float *out, bool wrong)
{
    __shared__ float tile[N + 1];
    int i = threadIdx.x;

    tile[i] = i;
    __syncthreads();
    out[i] = tile[i + wrong] - wrong;
}

__global__ void takes_four_from_anywhere(float *out, bool wrong)
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
static __device__ void multiply(float *out, bool fenced, bool waited)
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
    if (waited)
        PTX("wgmma.wait_group.sync.aligned 0;" ::);
    out[threadIdx.x] = d[0] + d[3] - 32 + threadIdx.x;
    PTX("wgmma.wait_group.sync.aligned 0;" ::);
}
__global__ void multiplies_what_was_not_fenced(float *out, bool wrong)
{
    multiply(out, !wrong, true);
}
__global__ void reads_a_product_too_early(float *out, bool wrong)
{
    multiply(out, true, !wrong);
}

/* --- All of them ------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*kernel)(float *, bool);
} mistakes[] = {
    {"waits_for_one_copy_less", waits_for_one_copy_less},
    {"leaves_out_the_barrier", leaves_out_the_barrier},
    {"names_a_barrier_for_too_few", names_a_barrier_for_too_few},
    {"waits_for_the_other_phase", waits_for_the_other_phase},
    {"expects_one_arrival_too_many", expects_one_arrival_too_many},
    {"asks_a_lane_that_is_not_here", asks_a_lane_that_is_not_here},
    {"writes_beyond_the_array", writes_beyond_the_array},
    {"reads_what_nobody_wrote", reads_what_nobody_wrote},
    {"takes_four_from_anywhere", takes_four_from_anywhere},
    {"multiplies_what_was_not_fenced", multiplies_what_was_not_fenced},
    {"reads_a_product_too_early", reads_a_product_too_early},
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
        m.kernel<<<1, N>>>(out, strcmp(argv[2], "wrong") == 0);
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
