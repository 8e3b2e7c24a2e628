/* test_quiet.cu: tests of correct kernels that are similar to wrong ones. */
#include <numeric>

#include "07_cuda/ptx/ptx.h"
#include "tools/emulator/cuda_on_cpu/tests/check.h"

QUIET_KERNEL(two_buffers_need_one_barrier_per_iteration, 1, 64)
{
    __shared__ float s[2][64];
    s[0][t] = a[t];
    for (int i = 0; i < 4; i++) {
        __syncthreads();
        s[(i + 1) % 2][t] = s[i % 2][63 - t];
    }
    a[t] = s[0][t];
}

QUIET_KERNEL(warps_with_their_own_memory_need_syncwarp_only, 1, 128)
{
    __shared__ float s[4][32];
    int lane = t % 32, warp = t / 32;
    for (int i = 0; i < 3; i++) {
        s[warp][lane] = a[t];
        __syncwarp();
        a[t] = s[warp][31 - lane];
        __syncwarp();
    }
}

/* Lane 0 is ordered before lane 1, and lane 1 before lane 2. */
QUIET_KERNEL(order_is_transitive_for_masks_that_overlap, 1, 32)
{
    __shared__ float s;
    if (t == 0)
        s = 1;
    if (t < 2)
        __syncwarp(3);
    if (t == 1 || t == 2)
        __syncwarp(6);
    if (t == 2)
        a[0] = s;
}

QUIET_KERNEL(neighbours_in_one_word_do_not_race, 1, 64)
{
    __shared__ __nv_bfloat16 s[64];
    __shared__ unsigned char u[64];
    auto h = (__nv_bfloat16 *)a;
    auto c = (unsigned char *)(a + 64);
    s[t] = h[t];
    u[t] = c[t];
    __syncthreads();
    h[t] = s[63 - t];
    c[t] = u[63 - t];
}

QUIET_KERNEL(read_by_all_then_written_after_a_barrier, 1, 64)
{
    __shared__ float s;
    float sum = 0;
    for (int i = 0; i < 3; i++) {
        if (t == 0)
            s = a[i];
        __syncthreads();
        sum += s + s;
        __syncthreads();
    }
    a[64 + t] = sum;
}

QUIET_KERNEL(a_word_read_in_parts_by_many_may_be_written_after_syncwarp, 1, 32)
{
    __shared__ unsigned s[32];
    s[t] = (unsigned)a[t];
    __syncwarp();
    unsigned short half = *((unsigned short *)&s[31 - t] + 1);
    unsigned whole = s[(t + 1) % 32];
    __syncwarp();
    s[t] = half + whole;
    __syncwarp();
    a[t] = s[t];
}

QUIET_KERNEL(a_word_read_by_all_may_then_be_used_as_two_halves, 1, 32)
{
    __shared__ unsigned s;
    if (t == 0)
        s = (unsigned)a[0];
    __syncthreads();
    unsigned sum = s;
    __syncwarp();
    if (t == 3)
        sum += *(unsigned short *)&s;
    if (t == 5)
        *((unsigned short *)&s + 1) = 1;
    a[t] = sum;
}

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

/* The last warp of this block has 16 threads. */
QUIET_KERNEL(each_half_of_a_warp_may_shuffle_by_itself, 1, 48)
{
    float x = a[t];
    if (t % 32 < 16)
        x += __shfl_xor_sync(0xffffu, x, 1);
    else
        x += __shfl_xor_sync(0xffff0000u, x, 2);
    a[t] = x;
}

/* According to the programming guide, exited lanes of a mask are ignored. */
QUIET_KERNEL(lanes_that_have_returned_are_not_waited_for, 1, 32)
{
    float x = a[t];
    if (t >= 20)
        return;
    __syncwarp();
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    a[t] = x;
}

__global__ void slow_flag(int *flag, int *work)
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

TEST(a_long_wait_is_no_deadlock_while_another_thread_works)
{
    int *work = device<int>(1);
    slow_flag<<<1, 64>>>(device<int>(1), work);
    CHECK(host(work, 1)[0] == 20000);
}

__global__ void rows_of_a_grid(float *a)
{
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    a[24 * b + t] = (float)(24 * b + t);
}

TEST(every_index_of_a_grid_occurs_once)
{
    float *a = device<float>(24 * 24);
    std::vector<float> all(24 * 24);
    std::iota(all.begin(), all.end(), 0.0f);
    rows_of_a_grid<<<dim3(2, 3, 4), dim3(4, 3, 2)>>>(a);
    CHECK(host(a, 24 * 24) == all);
}

int main()
{
    return run_tests("test_quiet", CUDA_COUNT, CUDA_FULL);
}
