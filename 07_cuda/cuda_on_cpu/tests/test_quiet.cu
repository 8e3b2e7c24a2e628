/* test_quiet.cu: correct kernels, close to wrong ones, say nothing. Each test
 * fails if anything at all was found (check.h). */
#include "07_cuda/ptx/ptx.h"
#include "07_cuda/cuda_on_cpu/tests/check.h"

__global__ void reverse(float *a)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    a[t] = s[63 - t];
}

TEST(a_barrier_is_enough)
{
    float *a = device(64, numbers(64).data());
    reverse<<<1, 64>>>(a);
    std::vector<float> v = host(a, 64);
    for (int i = 0; i < 64; i++)
        CHECK(v[i] == (float)(63 - i));
}

__global__ void flip_flop(float *a)
{
    __shared__ float s[2][64];
    int t = threadIdx.x;
    s[0][t] = a[t];
    for (int i = 0; i < 4; i++) {
        __syncthreads();
        s[(i + 1) % 2][t] = s[i % 2][63 - t];
    }
    a[t] = s[0][t];
}

QUIET(two_buffers_need_one_barrier_a_turn,
      flip_flop<<<1, 64>>>(device<float>(64)))

__global__ void warps_apart(float *a)
{
    __shared__ float s[4][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = 0; i < 3; i++) {
        s[warp][lane] = a[threadIdx.x];
        __syncwarp();
        a[threadIdx.x] = s[warp][31 - lane];
        __syncwarp();
    }
}

QUIET(warps_with_their_own_memory_need_syncwarp_only,
      warps_apart<<<1, 128>>>(device<float>(128)))

/* Lane 0 tells lane 1, lane 1 tells lane 2: order is handed on. */
__global__ void handed_on(float *a)
{
    __shared__ float s;
    int t = threadIdx.x;
    if (t == 0)
        s = 1;
    if (t < 2)
        __syncwarp(3);
    if (t == 1 || t == 2)
        __syncwarp(6);
    if (t == 2)
        a[0] = s;
}

QUIET(order_is_handed_on_by_masks_that_overlap,
      handed_on<<<1, 32>>>(device<float>(1)))

__global__ void neighbours(__nv_bfloat16 *a, unsigned char *b)
{
    __shared__ __nv_bfloat16 s[64];
    __shared__ unsigned char u[64];
    int t = threadIdx.x;
    s[t] = a[t];
    u[t] = b[t];
    __syncthreads();
    a[t] = s[63 - t];
    b[t] = u[63 - t];
}

QUIET(neighbours_in_one_word_do_not_race,
      neighbours<<<1, 64>>>(device<__nv_bfloat16>(64),
                            device<unsigned char>(64)))

/* All read one word many times; after a barrier one writes it. */
__global__ void read_by_all(float *a)
{
    __shared__ float s;
    float sum = 0;
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x == 0)
            s = a[i];
        __syncthreads();
        sum += s + s;
        __syncthreads();
    }
    a[64 + threadIdx.x] = sum;
}

QUIET(read_by_all_then_written_after_a_barrier,
      read_by_all<<<1, 64>>>(device<float>(128)))

/* The halves of a warp read a word in parts and whole. */
__global__ void parts(unsigned *a)
{
    __shared__ unsigned s[32];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncwarp();
    unsigned short half = *((unsigned short *)&s[31 - t] + 1);
    unsigned whole = s[(t + 1) % 32];
    __syncwarp();
    s[t] = half + whole;
    __syncwarp();
    a[t] = s[t];
}

QUIET(a_word_read_in_parts_by_many_may_be_written_after_syncwarp,
      parts<<<1, 32>>>(device<unsigned>(32)))

/* All lanes read the word; then one reads its lower half while another one
 * writes the upper. */
__global__ void halves_part(unsigned *a)
{
    __shared__ unsigned s;
    int t = threadIdx.x;
    if (t == 0)
        s = a[0];
    __syncthreads();
    unsigned sum = s;
    __syncwarp();
    if (t == 3)
        sum += *(unsigned short *)&s;
    if (t == 5)
        *((unsigned short *)&s + 1) = 1;
    a[t] = sum;
}

QUIET(a_word_read_by_all_may_go_on_as_two_halves,
      halves_part<<<1, 32>>>(device<unsigned>(32)))

__global__ void add(const float *a, float *sum)
{
    atomicAdd(sum, a[blockIdx.x * blockDim.x + threadIdx.x]);
}

TEST(atomics_do_not_race)
{
    std::vector<float> ones(128, 1.0f);
    float *sum = device<float>(1);
    add<<<4, 32>>>(device(128, ones.data()), sum);
    CHECK(host(sum, 1)[0] == 128.0f);
    CHECK_EQUAL(cuda_on_cpu_counts().global_atomics, 4 * 128);
}

TEST(launches_follow_one_another)
{
    float *a = device<float>(256), *sum = device<float>(1);
    add<<<4, 64>>>(a, sum);
    reverse<<<1, 64>>>(a);
    reverse<<<1, 64>>>(a);
}

__global__ void half_a_warp(float *a)
{
    float x = a[threadIdx.x];
    if (threadIdx.x % 32 < 16)
        x += __shfl_xor_sync(0xffffu, x, 1);
    else
        x += __shfl_xor_sync(0xffff0000u, x, 2);
    a[threadIdx.x] = x;
}

QUIET(each_half_of_a_warp_may_shuffle_by_itself,
      half_a_warp<<<1, 32>>>(device<float>(32)))

__global__ void warp_sum(const float *a, float *b, int n)
{
    int t = threadIdx.x;
    float x = t < n ? a[t] : 0;
    for (int o = 16; o > 0; o /= 2)
        x += __shfl_down_sync(0xffffffffu, x, o);
    unsigned odd = __ballot_sync(0xffffffffu, t % 2);
    if (t == 0)
        b[0] = x + (odd == 0xaaaaaaaau);
}

TEST(shuffles_and_ballots_compute)
{
    float *a = device(32, numbers(32).data()), *b = device<float>(1);
    warp_sum<<<1, 32>>>(a, b, 20);
    CHECK(host(b, 1)[0] == 190.0f + 1.0f);
}

__global__ void some_return(float *a, int n)
{
    float x = a[threadIdx.x];
    if ((int)threadIdx.x >= n)
        return;
    __syncwarp();
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    a[threadIdx.x] = x;
}

/* The programming guide: all lanes of the mask that haven't exited. */
QUIET(lanes_that_have_returned_are_not_waited_for,
      some_return<<<1, 32>>>(device<float>(32), 20))

/* The last warp of a block may be part of one; the mask names all 32. */
TEST(a_block_may_end_in_part_of_a_warp)
{
    float *a = device<float>(48);
    half_a_warp<<<1, 48>>>(a);
}

__global__ void pipeline(const float *a, float *b, int tiles)
{
    __shared__ __align__(16) float s[2][256];
    int t = threadIdx.x;
    float sum = 0;
    cp_async_16(&s[0][4 * t], &a[4 * t]);
    cp_async_commit();
    for (int j = 0; j < tiles; j++) {
        if (j + 1 < tiles)
            cp_async_16(&s[(j + 1) % 2][4 * t], &a[256 * (j + 1) + 4 * t]);
        cp_async_commit();
        cp_async_wait<1>();
        __syncthreads();
        sum += s[j % 2][255 - t];
        __syncthreads();
    }
    b[t] = sum;
}

TEST(a_double_buffered_pipeline_is_quiet)
{
    std::vector<float> ones(1024, 1.0f);
    float *b = device<float>(64);
    pipeline<<<1, 64>>>(device(1024, ones.data()), b, 4);
    for (float v : host(b, 64))
        CHECK(v == 4.0f);
}

/* A flag that another thread of the block does set. */
__global__ void handshake(int *flag, float *a)
{
    if (threadIdx.x == 0)
        while (atomicAdd(flag, 0) == 0)
            ;
    else if (threadIdx.x == 32)
        atomicAdd(flag, 1);
    a[threadIdx.x] = 1;
}

QUIET(a_flag_that_comes_ends_the_waiting,
      handshake<<<1, 64>>>(device<int>(1), device<float>(64)))

/* Both look again and again, but one of them gets on. */
__global__ void slow_answer(int *flag, int *work)
{
    if (threadIdx.x == 0)
        while (atomicAdd(flag, 0) == 0)
            ;
    else if (threadIdx.x == 32) {
        for (int i = 0; i < 20000; i++)
            *(volatile int *)work = *(volatile int *)work + 1;
        atomicAdd(flag, 1);
    }
}

TEST(whoever_waits_long_is_not_given_up_while_others_work)
{
    int *work = device<int>(1);
    slow_answer<<<1, 64>>>(device<int>(1), work);
    CHECK(host(work, 1)[0] == 20000);
}

__global__ void large_shared(float *a)
{
    extern __shared__ float smem[];
    int last = 100 * 1024 / 4 - 1;
    smem[last - threadIdx.x] = 1;
    a[threadIdx.x] = smem[last - threadIdx.x];
}

TEST(more_than_48_KiB_are_given_when_asked_for)
{
    CHECK(cudaFuncSetAttribute(large_shared,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               100 * 1024) == cudaSuccess);
    large_shared<<<1, 64, 100 * 1024>>>(device<float>(64));
}

__global__ void rows_of_a_grid(float *a)
{
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    a[24 * b + t] = (float)(24 * b + t);
}

TEST(every_index_of_a_grid_comes_once)
{
    float *a = device<float>(24 * 24);
    rows_of_a_grid<<<dim3(2, 3, 4), dim3(4, 3, 2)>>>(a);
    CHECK(host(a, 24 * 24) == numbers(24 * 24));
}

TEST(floats_are_rounded_to_16_bits_as_a_gpu_does)
{
    CHECK(__bfloat162float(__float2bfloat16(1.00390625f)) == 1.0f); /* tie */
    CHECK(__bfloat162float(__float2bfloat16(1.01171875f)) == 1.015625f);
    CHECK(isinf(__bfloat162float(__float2bfloat16(3.4e38f))));
    CHECK(isnan(__bfloat162float(__float2bfloat16(NAN))));
    CHECK(__half2float(__float2half(65504.0f)) == 65504.0f);
    CHECK(__half2float(__float2half(65519.0f)) == 65504.0f);
    CHECK(isinf(__half2float(__float2half(65520.0f))));
    CHECK(__half2float(__float2half(0x1p-24f)) == 0x1p-24f);
    CHECK(__half2float(__float2half(0x1p-25f)) == 0.0f);
    CHECK(__half2float(__float2half(-0x1.8p-24f)) == -0x1p-23f);
    CHECK(isnan(__half2float(__float2half(NAN))));
    for (unsigned i = 0; i < 65536; i++) {
        float f = emu::from_fp16((uint16_t)i);
        CHECK(isnan(f) || emu::to_fp16(f) == i);
        float g = emu::from_bf16((uint16_t)i);
        CHECK(isnan(g) || emu::to_bf16(g) == i);
    }
}

int main()
{
    return run_tests("test_quiet", CUDA_COUNT, CUDA_FULL);
}
