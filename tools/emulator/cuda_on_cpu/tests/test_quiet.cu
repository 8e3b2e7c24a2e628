/* test_quiet.cu: tests of correct kernels that are similar to wrong ones. */
#include <numeric>
#include <set>

#include "07_cuda/ptx/ptx.h"
#include "tools/emulator/cuda_on_cpu/settings.h"
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

/* A copy that a block does not wait for ends with the block. */
QUIET_KERNEL(the_next_block_has_other_copies, 2, 32)
{
    __shared__ float4 s[32];
    if (blockIdx.x == 0)
        cp_async_16(&s[t], a);
    else {
        s[t].x = 1;
        __syncthreads();
        a[t] = s[31 - t].x;
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

/* o is 4 bytes above a multiple of 16. On a GPU it is in registers. */
QUIET_KERNEL(a_vector_of_a_private_array_may_be_misaligned, 1, 32)
{
    struct {
        alignas(16) float l;
        float o[4];
    } row = {};
    *(float4 *)row.o = make_float4(1, 2, 3, 4);
    a[t] = row.o[2];
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

QUIET_KERNEL(a_barrier_is_progress_between_volatile_reads, 1, 2)
{
    for (int i = 0; i < 11000; i++) {
        (void)((volatile float *)a)[t];
        __syncthreads();
    }
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

__global__ void two_counts(int *counts)
{
    int t = threadIdx.x, first = emu::barrier_count(t < 40, emu::Site::here());
    int second = emu::barrier_count(t == 50, emu::Site::here());
    unsigned half = t % 32 < 16 ? 0xffffu : 0xffff0000u;
    unsigned odd = __ballot_sync(half, t % 2);
    if (first != 40 || second != 1 || odd != (0xaaaaaaaau & half))
        atomicAdd(counts, 1);
    if (t % 32 >= 20 && __activemask() != 0xfff00000u)
        atomicAdd(counts, 1);
}

TEST(each_vote_counts_its_own_threads)
{
    int *counts = device<int>(1);
    two_counts<<<1, 64>>>(counts);
    CHECK_EQUAL(host(counts, 1)[0], 0);
}

/* All threads store a number and execute a fence. After a barrier, warp 1 and
 * thread 0 store another one. The atomic of thread 0 publishes all numbers of
 * its block but the second ones of warp 1. A later atomic publishes these. */
__global__ void last_block_reads(float *part, unsigned *blocks, float *all)
{
    __shared__ unsigned nth;
    int t = threadIdx.x, first = 128 * blockIdx.x;
    part[first + t] = 1;
    __threadfence();
    __syncthreads();
    if (t == 0 || t >= 32) {
        part[first + 64 + t] = 2;
        __threadfence();
    }
    if (t == 0)
        nth = atomicAdd(blocks, 1);
    __syncthreads();
    bool last = nth + 1 == gridDim.x;
    for (int b = 0; last && b < (int)gridDim.x; b++)
        all[t] += part[128 * b + t] + part[128 * b + 64];
    if (t == 0)
        atomicAdd(blocks + 1, 1);
    __syncthreads();
    for (int b = 0; last && t >= 32 && b < (int)gridDim.x; b++)
        all[t] += part[128 * b + 64 + t];
}

TEST(fences_of_all_threads_release_to_the_last_block)
{
    float *all = device<float>(64);
    last_block_reads<<<4, 64>>>(device<float>(512), device<unsigned>(2), all);
    CHECK(host(all, 64)[31] == 12);
    CHECK(host(all, 64)[63] == 20);
}

/* Thread 0 has stored after its own fence, and before that of thread 1. */
__global__ void fence_after_syncwarp(float *part, unsigned *blocks, float *sum)
{
    if (threadIdx.x == 0) {
        __threadfence();
        part[blockIdx.x] = 1;
    }
    __syncwarp();
    if (threadIdx.x == 1) {
        __threadfence();
        if (atomicAdd(blocks, 1) == 1)
            *sum = part[0] + part[1];
    }
}

TEST(a_fence_releases_what_a_syncwarp_has_ordered)
{
    float *sum = device<float>(1);
    fence_after_syncwarp<<<2, 32>>>(device<float>(2), device<unsigned>(1), sum);
    CHECK(host(sum, 1)[0] == 2);
}

__global__ void store_after_fence(float *part, unsigned *blocks, float *sum)
{
    __threadfence();
    part[blockIdx.x] = 1;
    if (atomicAdd(blocks, 1) == 1)
        *sum = part[0] + part[1];
}

__global__ void atomic_without_order(float *part, unsigned *blocks, float *sum)
{
    if (threadIdx.x == 0) {
        part[blockIdx.x] = 1;
        __threadfence();
    }
    if (threadIdx.x == 1 && atomicAdd(blocks, 1) == 1)
        *sum = part[1 - blockIdx.x];
}

TEST(a_store_is_released_only_by_a_later_fence_and_a_later_atomic)
{
    float *part = device<float>(4);
    unsigned *blocks = device<unsigned>(2);
    store_after_fence<<<2, 1>>>(part, blocks, part + 2);
    atomic_without_order<<<2, 2>>>(part, blocks + 1, part + 3);
    CHECK_EQUAL(cuda_on_cpu_findings(),
                cuda_on_cpu_effort() == CUDA_COUNT ? 0 : 2);
    cuda_on_cpu_forgive();
}

__global__ void reads_twice(float *a)
{
    __shared__ float unwritten[2];
    a[0] = unwritten[0];
    a[1] = unwritten[1];
}

TEST(each_line_has_a_finding)
{
    reads_twice<<<1, 1>>>(device<float>(2));
    CHECK_EQUAL(cuda_on_cpu_findings(),
                cuda_on_cpu_effort() == CUDA_COUNT ? 0 : 2);
    cuda_on_cpu_forgive();
}

__global__ void reads_after_a_barrier_of_others(float *last)
{
    __shared__ float first;
    if (threadIdx.x == 0)
        first = 1;
    else
        __syncwarp(0xfffffffe);
    if (threadIdx.x == 31)
        *last = first;
}

TEST(a_barrier_orders_only_its_own_threads)
{
    reads_after_a_barrier_of_others<<<1, 32>>>(device<float>(1));
    CHECK_EQUAL(cuda_on_cpu_findings(),
                cuda_on_cpu_effort() == CUDA_COUNT ? 0 : 1);
    cuda_on_cpu_forgive();
}

__global__ void atomic_at(int *a, int offset)
{
    atomicAdd((int *)((char *)a + offset), 1);
}

TEST(a_misaligned_address_is_measured_from_the_multiple_below)
{
    if (cuda_on_cpu_effort() == CUDA_COUNT)
        return;
    atomic_at<<<1, 1>>>(device<int>(4), 5);
    CHECK(cudaDeviceSynchronize() == cudaErrorMisalignedAddress);
    CHECK(cudaGetLastError() == cudaErrorMisalignedAddress);
    cuda_finding found = cuda_on_cpu_finding(0);
    CHECK(strstr(found.text, "is 1 bytes above a multiple of 4"));
    CHECK(strstr(found.where, "in kernel atomic_at") == found.where);
    cuda_on_cpu_forgive();
}

/* The layouts are those of ptx.h. Row i of A has i + 1 in column i, and B has
 * different elements. */
static __device__ unsigned pair_of(float low, float high)
{
    return emu::to_bf16(low) | (unsigned)emu::to_bf16(high) << 16;
}
static __device__ float of_A(int i, int k)
{
    return i == k ? (float)(i + 1) : 0;
}
static __device__ float of_B(int k, int j)
{
    return (float)(8 * k + j);
}

__global__ void product(float *C)
{
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    float c[4] = {1, 1, 1, 1};
    unsigned a[4], b[2];
    for (int i = 0; i < 4; i++) {
        int row = g + i % 2 * 8, column = 2 * t + i / 2 * 8;
        a[i] = pair_of(of_A(row, column), of_A(row, column + 1));
    }
    for (int i = 0; i < 2; i++)
        b[i] = pair_of(of_B(2 * t + 8 * i, g), of_B(2 * t + 8 * i + 1, g));
    mma_m16n8k16_bf16(c, a, b);
    for (int i = 0; i < 4; i++)
        C[8 * (g + i / 2 * 8) + 2 * t + i % 2] = c[i];
}

__global__ void product_tf32(float *C)
{
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    float c[4] = {1, 1, 1, 1};
    unsigned a[4], b[2];
    for (int i = 0; i < 4; i++)
        a[i] = emu::to_tf32(of_A(g + i % 2 * 8, t + i / 2 * 4));
    for (int i = 0; i < 2; i++)
        b[i] = emu::to_tf32(of_B(t + 4 * i, g));
    emu::mma(emu::WarpOp::m16n8k8_tf32, c, a, b);
    for (int i = 0; i < 4; i++)
        C[8 * (g + i / 2 * 8) + 2 * t + i % 2] = c[i];
}

TEST(products_have_the_layouts_of_the_manual)
{
    float *C = device<float>(128);
    product<<<1, 32>>>(C);
    std::vector<float> got = host(C, 128);
    for (int e = 0; e < 128; e++)
        CHECK(got[e] == 1 + (e / 8 + 1) * of_B(e / 8, e % 8));
    product_tf32<<<1, 32>>>(C);
    got = host(C, 128);
    for (int e = 0; e < 128; e++)
        CHECK(got[e] == 1 + (e < 64 ? (e / 8 + 1) * of_B(e / 8, e % 8) : 0));
}

__global__ void set(float *a, float to)
{
    a[threadIdx.x] = to;
}

/* Managed memory may be either side of a copy. */
TEST(two_streams_are_ordered_by_events)
{
    cudaStream_t one, two;
    cudaEvent_t begin, end;
    float *a = device<float>(64), *managed = nullptr, ms = -1;
    emu::allocate((void **)&managed, 256, emu::Site::here(), "m", true);
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    set<<<1, 64, 0, one>>>(a, 1);
    cudaEventRecord(begin, one);
    cudaStreamWaitEvent(two, begin, 0);
    set<<<1, 64, 0, two>>>(a, 2);
    cudaEventRecord(end, two);
    cudaEventSynchronize(end);
    CHECK(cudaEventElapsedTime(&ms, begin, end) == cudaSuccess);
    CHECK(ms >= 0);
    cudaMemcpy(managed, a, 256, cudaMemcpyDeviceToHost);
    CHECK(managed[63] == 2);
    cudaMemcpy(a + 1, managed, 252, cudaMemcpyHostToDevice);
    CHECK(host(a, 64)[63] == 2);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
}

TEST(two_streams_without_an_event_race)
{
    cudaStream_t one, two;
    float *a = device<float>(64);
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    set<<<1, 64, 0, one>>>(a, 1);
    set<<<1, 64, 0, two>>>(a, 2);
    cudaDeviceSynchronize();
    CHECK_EQUAL(cuda_on_cpu_findings(),
                cuda_on_cpu_effort() == CUDA_COUNT ? 0 : 1);
    cuda_on_cpu_forgive();
}

TEST(an_array_keeps_its_values_if_the_one_before_it_is_freed)
{
    const float one = 1;
    char *odd = device<char>(3 * 4096 + 1);
    float *next = device(1, &one);
    CHECK(cudaFree(odd) == cudaSuccess);
    CHECK(host(next, 1)[0] == 1);
}

TEST(an_array_without_room_is_reported)
{
    for (int gigabytes : {8, 1024}) { /* an array needs a granule more */
        char *p;
        CHECK(cudaMalloc(&p, (size_t)gigabytes << 30) ==
              cudaErrorMemoryAllocation);
        CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
        CHECK_EQUAL(cuda_on_cpu_findings(), 1);
        cuda_on_cpu_forgive();
    }
}

static long pages_of_this_process()
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%ld", &pages) == 1);
    fclose(f);
    return pages;
}

TEST(a_freed_array_takes_no_addresses_beside_its_own)
{
    char *p;
    cudaFree(device<char>(1));
    long before = pages_of_this_process();
    for (int i = 0; i < 8; i++) { /* a shadow has thousands of pages */
        cudaMalloc(&p, 1 << 20);
        cudaFree(p);
    }
    CHECK(pages_of_this_process() < before + 1000);
}

TEST(random_numbers_do_not_repeat)
{
    std::set<unsigned> seen;
    cuda_on_cpu_set_seed(1);
    for (int i = 0; i < 1000; i++)
        seen.insert(emu::random_below(1 << 30));
    cuda_on_cpu_set_seed(0);
    CHECK(seen.size() == 1000);
}

int main()
{
    return run_tests("test_quiet", CUDA_COUNT, CUDA_FULL);
}
