/* test_hopper.cu: tests of TMA with __syncthreads, deadlock reports, invalid
 * tensor maps, and the compute capability. */
#include "07_cuda/ptx/ptx_hopper.h"
#include "tools/emulator/cuda_on_cpu/settings.h"
#include "tools/emulator/cuda_on_cpu/tests/check.h"

extern __shared__ __align__(1024) char smem[];

typedef __nv_bfloat16 bf16;

/* The panel has the 128-byte swizzle. */
static __device__ bf16 *element(char *panel, int r, int c)
{
    return (bf16 *)(panel + r * 128 + (c / 8 ^ r % 8) * 16) + c % 8;
}

/* All threads read the copied tile, overwrite it, and read it again. */
__global__ void mixed(const __grid_constant__ CUtensorMap map, float *a)
{
    __shared__ mbarrier full;
    int t = threadIdx.x;
    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_mbarrier_init();
    }
    __syncthreads();
    if (t == 0) {
        mbarrier_arrive_and_expect(&full, 1024);
        tma_load(smem, &map, &full, 0, 0, 0);
    }
    mbarrier_wait(&full, 0);
    float x = __bfloat162float(*element(smem, t / 8 % 8, t % 8));
    __syncthreads();
    ((float *)smem)[t] = x;
    __syncthreads();
    a[t] = ((float *)smem)[63 - t];
}

TEST(syncthreads_orders_reads_of_a_copied_tile)
{
    std::vector<bf16> v(8 * 64, __float2bfloat16(3));
    float *a = device<float>(64);
    CUtensorMap map;
    CHECK(tensor_map_bf16(&map, device(v.size(), v.data()), 64, 8, 8, 1, 8) ==
          0);
    mixed<<<1, 64, 1024>>>(map, a);
    CHECK(host(a, 64)[63] == __bfloat162float(v[0]));
}

/* A(i, k) is 0 or, for k = i % 16, 1 + i / 16. B(j, k) is j + 4 k. */
__global__ void product(float *D, bool waits)
{
    float d[32] = {};
    int t = threadIdx.x, i = t / 32 * 16 + t % 32 / 4;
    for (int e = t; e < 64 * 16; e += 128) {
        int r = e / 16, k = e % 16;
        *element(smem, r, k) = __float2bfloat16(k == r % 16 ? 1 + r / 16 : 0);
        *element(smem + 8192, r, k) = __float2bfloat16((float)(r + 4 * k));
    }
    fence_proxy_async();
    __syncthreads();
    wgmma_fence();
    wgmma(d, wgmma_operand(smem), wgmma_operand(smem + 8192), false);
    wgmma_commit();
    if (!waits)
        return;
    wgmma_wait<0>(d);
    for (int n = 0; n < 32; n++)
        D[64 * (i + n / 2 % 2 * 8) + n / 4 * 8 + t % 4 * 2 + n % 2] = d[n];
}

TEST(wgmma_computes_every_element)
{
    float *D = device<float>(64 * 64);
    product<<<1, 128, 16384>>>(D, false);
    cuda_on_cpu_forgive(); /* a later block has other accumulators */
    product<<<1, 128, 16384>>>(D, true);
    std::vector<float> got = host(D, 64 * 64);
    for (int e = 0; e < 64 * 64; e++)
        CHECK(got[e] == (float)((1 + e / 1024) * (e % 64 + e / 64 % 16 * 4)));
}

/* The matrices of the next test: A is 64 x 32, and B is 32 x 128. */
static __host__ __device__ float A(int i, int k)
{
    return (float)((3 * i + 5 * k) % 7);
}
static __host__ __device__ float B(int k, int j)
{
    return (float)((k * k + 2 * j + j / 64) % 5);
}

enum form { REGISTERS, TRANSPOSED, E4M3, E4M3_REGISTERS };

/* Returns register r of operand A, in mma.sync's layout. */
static __device__ unsigned fragment(form f, int r)
{
    int t = threadIdx.x, i = t / 32 * 16 + t % 32 / 4 + r % 2 * 8;
    int k = (t % 4 + r / 2 * 4) * (f == REGISTERS ? 2 : 4);

    return f == REGISTERS
               ? pack_bf16x2(A(i, k), A(i, k + 1))
               : pack_e4m3x4(A(i, k), A(i, k + 1), A(i, k + 2), A(i, k + 3));
}

/* Stores 4 numbers in row r of a tile of e4m3, from column c. */
static __device__ void store(char *tile, int row_bytes, int r, int c,
                             unsigned numbers)
{
    int swizzle = r * row_bytes / 128 % (row_bytes / 16);

    *(unsigned *)(tile + r * row_bytes + (c / 16 ^ swizzle) * 16 + c % 16) =
        numbers;
}

/* Stores A B in D, with a depth of 16 or, for e4m3, of 32. B is in two panels of 64
 * columns, or has rows of 128 bytes, with k from byte 32. A^T is 16 x 64. A of e4m3
 * has rows of 64 bytes. */
__global__ void product_of(form f, float *D)
{
    char *b = smem + 4096;
    unsigned a[4];
    float d[64];
    int t = threadIdx.x, i = t / 32 * 16 + t % 32 / 4;

    for (int k = 0; k < 16 && f < E4M3; k++) {
        *element(b + t / 64 * 2048, k, t % 64) = __float2bfloat16(B(k, t));
        if (t < 64)
            *element(smem, k, t) = __float2bfloat16(A(t, k));
    }
    for (int k = 0; k < 32 && f >= E4M3; k += 4) {
        store(b, 128, t, 32 + k,
              pack_e4m3x4(B(k, t), B(k + 1, t), B(k + 2, t), B(k + 3, t)));
        if (t < 64)
            store(smem, 64, t, k,
                  pack_e4m3x4(A(t, k), A(t, k + 1), A(t, k + 2), A(t, k + 3)));
    }
    for (int r = 0; r < 4; r++)
        a[r] = fragment(f, r);
    fence_proxy_async();
    __syncthreads();
    wgmma_fence();
    if (f == REGISTERS)
        wgmma_transposed(d, a, wgmma_operand(b, 2048), false);
    if (f == TRANSPOSED)
        wgmma_transposed(d, wgmma_operand(smem), wgmma_operand(b, 2048), false);
    if (f == E4M3)
        wgmma_e4m3(d, wgmma_operand_e4m3(smem, 64),
                   bytes_on(wgmma_operand_e4m3(b, 128), 32), false);
    if (f == E4M3_REGISTERS)
        wgmma_e4m3(d, a, bytes_on(wgmma_operand_e4m3(b, 128), 32), false);
    wgmma_commit();
    wgmma_wait<0>(d);
    for (int n = 0; n < 64; n++)
        D[128 * (i + n / 2 % 2 * 8) + n / 4 * 8 + t % 4 * 2 + n % 2] = d[n];
}

TEST(wgmma_computes_the_other_forms)
{
    for (form f : {REGISTERS, TRANSPOSED, E4M3, E4M3_REGISTERS}) {
        float *D = device<float>(64 * 128);
        product_of<<<1, 128, 20480>>>(f, D);
        std::vector<float> got = host(D, 64 * 128);
        for (int e = 0; e < 64 * 128; e++) {
            float want = 0;
            for (int k = 0; k < (f < E4M3 ? 16 : 32); k++)
                want += A(e / 128, k) * B(k, e % 128);
            CHECK(got[e] == want);
        }
    }
}

/* Sets two tiles of 8 KiB to 0 for wgmma. */
static __device__ void zero_tiles()
{
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x)
        ((float *)smem)[i] = 0;
    fence_proxy_async();
    __syncthreads();
}

__global__ void reads_d_while_e_is_under_way(float *sum)
{
    float d[32], e[32];
    int t = threadIdx.x;

    zero_tiles();
    wgmma_fence();
    wgmma(d, wgmma_operand(smem), wgmma_operand(smem + 8192), false);
    wgmma_commit();
    wgmma(e, wgmma_operand(smem), wgmma_operand(smem + 8192), false);
    wgmma_commit();
    wgmma_wait<1>(d);
    sum[t] = d[0] + d[31];
    wgmma_wait<0>(e);
    sum[t] += e[0] + e[31];
}

/* Each thread of 384 has at first 65536 / 384 registers, rounded down to 168. */
__global__ void rescales_before_the_fence(float *sum)
{
    float d[32], e[32];
    int t = threadIdx.x;

    zero_tiles();
    fewer_registers<160>();
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 32 && j > 0; i++) {
            d[i] *= 2;
            e[i] *= 2;
        }
        wgmma_fence();
        wgmma(d, wgmma_operand(smem), wgmma_operand(smem + 8192), j > 0);
        wgmma(e, wgmma_operand(smem), wgmma_operand(smem + 8192), j > 0);
        wgmma_commit();
        wgmma_wait<0>(d);
        wgmma_wait<0>(e);
    }
    sum[t] = d[0] + e[31];
}

TEST(accumulators_may_change_before_a_fence)
{
    float *sum = device<float>(384);
    rescales_before_the_fence<<<1, 384, 16384>>>(sum);
    CHECK(host(sum, 384)[5] == 0);
}

TEST(a_complete_accumulator_may_be_read_beside_another)
{
    float *sum = device<float>(128);
    reads_d_while_e_is_under_way<<<1, 128, 16384>>>(sum);
    CHECK(host(sum, 128)[5] == 0);
}

/* Adds three boxes of 256 numbers to one array, from two buffers in turn. */
__global__ void add_boxes(const __grid_constant__ CUtensorMap map)
{
    for (int n = 0; n < 3; n++) {
        float *buffer = (float *)smem + n % 2 * 256;
        for (int e = threadIdx.x; e < 256; e += blockDim.x)
            buffer[e] = (float)(n + 1);
        fence_proxy_async();
        __syncthreads();
        if (threadIdx.x == 0) {
            tma_add(&map, buffer, 0, 0, 0);
            bulk_commit();
            bulk_wait_read<1>();
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        bulk_wait<0>();
}

TEST(bulk_wait_read_1_frees_the_older_buffer)
{
    float *sum = device<float>(256);
    CUtensorMap map;
    tensor_map_f32(&map, sum, 32, 8, 1, 8);
    add_boxes<<<1, 64, 2048>>>(map);
    CHECK(host(sum, 256)[37] == 6);
}

/* Block 0 adds a box, and block 1 reads the sum. Block 0 waits for its addition,
 * or only until TMA has read the box. */
__global__ void add_and_read(const __grid_constant__ CUtensorMap map,
                             bool waits, unsigned *blocks, const float *sum,
                             float *copy)
{
    float *box = (float *)smem;
    for (int e = threadIdx.x; e < 256; e += blockDim.x)
        box[e] = 1;
    fence_proxy_async();
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    if (blockIdx.x == 0) {
        tma_add(&map, box, 0, 0, 0);
        bulk_commit();
        if (waits)
            bulk_wait<0>();
        else
            bulk_wait_read<0>();
    }
    __threadfence();
    if (atomicAdd(blocks, 1) == 1)
        *copy = sum[37];
}

TEST(a_fence_releases_the_additions_that_its_thread_waited_for)
{
    for (int waits = 1; waits >= 0; waits--) {
        float *sum = device<float>(256), *copy = device<float>(1);
        CUtensorMap map;
        tensor_map_f32(&map, sum, 32, 8, 1, 8);
        add_and_read<<<2, 64, 1024>>>(map, waits, device<unsigned>(1), sum,
                                      copy);
        CHECK(host(copy, 1)[0] == 1);
        CHECK_EQUAL(cuda_on_cpu_findings(),
                    waits || cuda_on_cpu_effort() == CUDA_COUNT ? 0 : 1);
        cuda_on_cpu_forgive();
    }
}

__global__ void too_few_arrivals()
{
    __shared__ mbarrier full[2];
    for (int s = 0; s < 2 && threadIdx.x == 0; s++) {
        mbarrier_init(&full[s], 2);
        fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        mbarrier_arrive_and_expect(&full[1], 512);
    if (threadIdx.x < 32)
        mbarrier_wait(&full[1], 0);
    else
        bar_sync(3, 64);
}

static bool is_reported(const char *kind, const char *text)
{
    for (size_t i = 0; i < cuda_on_cpu_findings(); i++)
        if (!strcmp(cuda_on_cpu_finding(i).kind, kind) &&
            strstr(cuda_on_cpu_finding(i).text, text))
            return true;
    return false;
}

TEST(a_deadlock_names_what_each_thread_waits_for)
{
    too_few_arrivals<<<1, 64>>>();
    CHECK(cudaGetLastError() != cudaSuccess);
    CHECK(is_reported("deadlock", "full[1], parity 0 (phase 0 is open: "
                                  "1 of 2 arrivals, 512 bytes to come)"));
    CHECK(is_reported("deadlock", "barrier 3 (32 of 64 threads)"));
    cuda_on_cpu_forgive();
}

__global__ void wait_at(int id, int threads)
{
    bar_sync(id, threads);
}

TEST(an_invalid_named_barrier_ends_the_launch)
{
    const int invalid[][2] = {{0, 64}, {16, 64}, {1, 33}, {1, 0}, {1, 96}};

    for (auto [id, threads] : invalid) {
        wait_at<<<1, 64>>>(id, threads);
        CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
        CHECK(is_reported("barrier", "(allowed: barriers 1 to 15"));
        cuda_on_cpu_forgive();
    }
    wait_at<<<1, 64>>>(1, 64);
    wait_at<<<1, 64>>>(15, 32);
    CHECK(nothing_found());
}

/* True if a tensor map of an array of 1 KiB is refused, with a finding that
 * contains why. */
static bool refused(int columns, int rows, int box_columns, int element,
                    const char *why, int box_rows = 8)
{
    CUtensorMap map;
    cudaError_t error =
        emu::tensor_map(&map,
                        {device<char>(1024), columns, rows, rows, 1,
                         box_columns, box_rows, element},
                        emu::Site::here());
    bool reported = is_reported("TMA", why);
    cuda_on_cpu_forgive();
    return error != cudaSuccess && reported;
}

TEST(an_invalid_tensor_map_is_refused)
{
    CHECK(refused(64, 9, 64, 2, "no array contains"));
    CHECK(refused(60, 8, 64, 2, "a multiple of 8"));
    CHECK(refused(256, 8, 256, 1, "rows of 256 bytes"));
    CHECK(refused(248, 8, 128, 1, "a multiple of 16"));
    CHECK(refused(64, 8, 64, 2, "boxes of 1 to 256 rows", 257));
    CUtensorMap map;
    CHECK(tensor_map_bf16(&map, device<bf16>(512), 64, 8, 8, 1, 256) == 0);
    CHECK(tensor_map_bf16(&map, device<bf16>(512), 64, 8, 8, 1, 1) == 0);
}

TEST(a_sum_of_other_elements_than_floats_is_refused)
{
    CUtensorMap map;
    tensor_map_bf16(&map, device<bf16>(512), 64, 8, 8, 1, 8);
    add_boxes<<<1, 64, 2048>>>(map);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    CHECK(is_reported("TMA", "this map has elements of 2 bytes"));
    cuda_on_cpu_forgive();
}

__global__ void stores_to_a_tile_that_is_read()
{
    float d[32];
    zero_tiles();
    wgmma_fence();
    wgmma(d, wgmma_operand(smem), wgmma_operand(smem + 8192), false);
    wgmma_commit();
    ((float *)smem)[threadIdx.x] = 1;
    wgmma_wait<0>(d);
}

TEST(a_finding_names_the_product_that_reads)
{
    stores_to_a_tile_that_is_read<<<1, 128, 16384>>>();
    CHECK(cuda_on_cpu_effort() == CUDA_COUNT ||
          is_reported("race", "which a wgmma of warpgroup 0 read at line"));
    cuda_on_cpu_forgive();
}

__global__ void reads_a_copy_under_way(const float4 *a, float *b, bool others)
{
    __shared__ float4 s[2];
    int t = threadIdx.x;
    cp_async_16(&s[t], &a[t]);
    cp_async_commit();
    if (t == 1)
        *b = s[others ? 0 : 1].x;
}

TEST(a_finding_says_whose_copy_is_under_way)
{
    for (bool others : {false, true}) {
        reads_a_copy_under_way<<<1, 2>>>(device<float4>(2), device<float>(1),
                                         others);
        CHECK(cuda_on_cpu_effort() == CUDA_COUNT ||
              is_reported("cp.async", "or start after one") == others);
        CHECK(cuda_on_cpu_effort() == CUDA_COUNT ||
              is_reported("cp.async", "started it at"));
        cuda_on_cpu_forgive();
    }
}

__global__ void product_of_a_wrong_stride()
{
    float d[32];
    wgmma_fence();
    wgmma(d, wgmma_operand(smem) + (1ull << 32), wgmma_operand(smem), false);
    wgmma_commit();
    wgmma_wait<0>(d);
}

TEST(a_finding_has_the_allowed_strides)
{
    product_of_a_wrong_stride<<<1, 128, 16384>>>();
    CHECK(is_reported("wgmma", "offsets of 16 and 1040 bytes (allowed: "
                               "multiples of 1024"));
    cuda_on_cpu_forgive();
}

TEST(the_device_has_the_compute_capability_of_the_architecture)
{
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
    CHECK_EQUAL(10 * p.major + p.minor, emu::architecture);
    CHECK(cudaFuncSetAttribute(mixed,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)p.sharedMemPerBlockOptin) == cudaSuccess);
}

int main()
{
    return run_tests("test_hopper", CUDA_COUNT, CUDA_FULL);
}
