/* test_hopper.cu: mbarriers, TMA, wgmma, named barriers: what they compute,
 * and that correct kernels are told nothing. Mistakes: ../bugs/6_tma.cu. */
#include "07_cuda/ptx/ptx_hopper.h"
#include "07_cuda/cuda_on_cpu/tests/check.h"

extern __shared__ __align__(1024) char smem[];

typedef __nv_bfloat16 bf16;

/* Where TMA with the 128-byte swizzle puts column c of row r of a panel. */
static __device__ bf16 *element(char *panel, int r, int c)
{
    return (bf16 *)(panel + r * 128 + (c / 8 ^ r % 8) * 16) + c % 8;
}

static std::vector<bf16> random_numbers(size_t n, unsigned seed)
{
    std::vector<bf16> v(n);
    for (bf16 &x : v) {
        seed = seed * 1664525u + 1013904223u;
        x = __float2bfloat16((float)(seed >> 24) / 16 - 8);
    }
    return v;
}

/* Pairs of codes of e4m3, of 2^-1 to 15 x 2^1: sums of few products are exact
 * in fp32. */
static std::vector<bf16> random_codes(size_t n, unsigned seed)
{
    std::vector<bf16> v(n);
    for (bf16 &x : v) {
        seed = seed * 1664525u + 1013904223u;
        x.bits = (uint16_t)((seed >> 16 & 0x9f9f) + 0x3030);
    }
    return v;
}

/* --- wgmma ---------------------------------------------------------------- */

/* Of A, 64 x 64, and B, N x 64, or of their transposes; or of as many pairs of
 * e4m3. */
enum how { A_BT, A_B_WITH_A_IN_REGISTERS, AT_B, E4M3, E4M3_IN_REGISTERS };

/* C, 64 x N. Tiles are written by ordinary stores. */
template <int N, how H>
__global__ void product(const bf16 *a, const bf16 *b, float *c)
{
    char *A = smem, *B = smem + 64 * 128;
    int t = threadIdx.x, lane = t % 32, row = t / 32 * 16 + lane / 4;
    float d[N / 2] = {};
    unsigned fragment[4][4];

    for (int e = t; e < 64 * 64; e += 128)
        *element(A, e / 64, e % 64) = a[e];
    for (int e = t; e < 64 * N; e += 128)
        if (H != A_B_WITH_A_IN_REGISTERS && H != AT_B)
            *element(B, e / 64, e % 64) = b[e];
        else /* 64 rows of N, in panels of 64 columns */
            *element(B + e % N / 64 * 64 * 128, e / N, e % 64) = b[e];
    fence_proxy_async();
    __syncthreads();
    wgmma_fence();
    for (int k = 0; k < 4; k++) {
        auto columns = bytes_on(wgmma_operand(B, 64 * 128), k * 2048);
        auto codes_A = bytes_on(wgmma_operand_e4m3(A, 128), k * 32);
        auto codes_B = bytes_on(wgmma_operand_e4m3(B, 128), k * 32);
        for (int i = 0; i < 4; i++)
            fragment[k][i] = *(unsigned *)element(
                A, row + i % 2 * 8, k * 16 + lane % 4 * 2 + i / 2 * 8);
        if (H == A_BT)
            wgmma(d, bytes_on(wgmma_operand(A), k * 32),
                  bytes_on(wgmma_operand(B), k * 32), k > 0);
        else if (H == AT_B)
            wgmma_transposed(d, bytes_on(wgmma_operand(A), k * 2048), columns,
                             k > 0);
        else if (H == A_B_WITH_A_IN_REGISTERS)
            wgmma_transposed(d, fragment[k], columns, true);
        else if (H == E4M3)
            wgmma_e4m3(d, codes_A, codes_B, k > 0);
        else
            wgmma_e4m3(d, fragment[k], codes_B, true);
    }
    wgmma_commit();
    wgmma_wait<0>(d);
    for (int e = 0; e < N / 2; e++)
        c[(row + e / 2 % 2 * 8) * N + e / 4 * 8 + lane % 4 * 2 + e % 2] = d[e];
}

/* Number k of row r of A, or of B^T, which has so many rows. */
template <how H>
static double number(const std::vector<bf16> &x, int rows, int r, int k,
                     bool by_columns)
{
    if (H == E4M3 || H == E4M3_IN_REGISTERS)
        return emu::from_e4m3((uint8_t)(x[r * 64 + k / 2].bits >> k % 2 * 8));
    return __bfloat162float(x[by_columns ? k * rows + r : r * 64 + k]);
}

template <int N, how H> static void check_product()
{
    const bool e4m3 = H == E4M3 || H == E4M3_IN_REGISTERS;
    auto random = e4m3 ? random_codes : random_numbers;
    auto a = random(64 * 64, 1), b = random(64 * N, 2);
    float *c = device<float>(64 * N);
    int wrong = 0;

    cudaFuncSetAttribute(product<N, H>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    product<N, H><<<1, 128, 65536>>>(device(a.size(), a.data()),
                                     device(b.size(), b.data()), c);
    auto got = host(c, 64 * N);
    CHECK_EQUAL(cuda_on_cpu_counts().wgmma, 4);
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < (e4m3 ? 128 : 64); k++)
                sum += number<H>(a, 64, i, k, H == AT_B) *
                       number<H>(b, N, j, k, H != A_BT);
            wrong += !(sum == got[i * N + j]); /* 1/16s: exact */
        }
    CHECK_EQUAL(wrong, 0);
}

template <how H> static void check_products()
{
    check_product<64, H>();
    check_product<128, H>();
}

QUIET(wgmma_multiplies_tiles_in_shared_memory, check_products<A_BT>())
QUIET(wgmma_multiplies_registers_by_a_transposed_tile,
      check_products<A_B_WITH_A_IN_REGISTERS>())
QUIET(both_operands_may_be_read_by_columns, check_products<AT_B>())
QUIET(wgmma_multiplies_e4m3, check_products<E4M3>())
QUIET(wgmma_takes_e4m3_from_registers, check_products<E4M3_IN_REGISTERS>())

/* --- TMA and mbarriers ---------------------------------------------------- */

/* Boxes of 8 rows from row0 on, one after the other, in two stages: one
 * thread of warp 4 asks, four warps add up what has come. */
__global__ void stream(const __grid_constant__ CUtensorMap map, float *sums,
                       int boxes)
{
    __shared__ mbarrier full[2], empty[2];
    int t = threadIdx.x;
    float sum = 0;
    if (t == 0) {
        for (int s = 0; s < 2; s++) {
            mbarrier_init(&full[s], 1);
            mbarrier_init(&empty[s], 128);
        }
        fence_mbarrier_init();
    }
    __syncthreads();
    if (t >= 128) {
        for (int i = 0; i < boxes && t == 128; i++) {
            mbarrier_wait(&empty[i % 2], i / 2 % 2 ^ 1);
            mbarrier_arrive_and_expect(&full[i % 2], 1024);
            tma_load(smem + i % 2 * 1024, &map, &full[i % 2], 0, 8 * i, 1);
        }
        return;
    }
    for (int i = 0; i < boxes; i++) {
        mbarrier_wait(&full[i % 2], i / 2 % 2);
        for (int r = 0; r < 8; r++)
            sum += __bfloat162float(*element(smem + i % 2 * 1024, r, t % 64));
        mbarrier_arrive(&empty[i % 2]);
    }
    sums[t] = sum;
}

/* Two matrices of 37 rows, of which 35 are seen; the second is streamed. */
TEST(boxes_stream_through_two_stages)
{
    auto v = random_numbers(2 * 37 * 64, 3);
    bf16 *d = device(v.size(), v.data());
    float *sums = device<float>(128);
    CUtensorMap map;
    CHECK(tensor_map_bf16(&map, d, 64, 37, 35, 2, 8) == 0);
    stream<<<1, 160, 2048>>>(map, sums, 6);
    auto got = host(sums, 128);
    for (int c = 0; c < 128; c++) {
        float sum = 0;
        for (int r = 0; r < 35; r++)
            sum += __bfloat162float(v[(37 + r) * 64 + c % 64]);
        CHECK(sum == got[c]);
    }
    CHECK_EQUAL(cuda_on_cpu_counts().tma, 6);
    CHECK_EQUAL(cuda_on_cpu_array_counts(d).loaded, 35 * 128);
}

/* --- What TMA adds -------------------------------------------------------- */

static const int columns = 64, rows = 13, matrices = 3, box_rows = 8;

/* Where column c of row r of a panel of 32 floats lies. */
static __device__ float *number(char *panel, int r, int c)
{
    return (float *)(panel + r * 128 + (c / 4 ^ r % 8) * 16) + c % 4;
}

/* Each block adds 100 r + c to matrix 1, from row 8 on, two panels; a panel at
 * a time in its own place, so that one group may remain. A block that is alone
 * looks at a sum that it has waited for. */
__global__ void add_boxes(const __grid_constant__ CUtensorMap map, int times,
                          const float *sum, float *seen)
{
    for (int n = 0; n < 2 * times; n++) {
        char *panel = smem + n % 2 * 1024;
        int first = n % 2 * 32;

        for (int e = threadIdx.x; e < box_rows * 32; e += blockDim.x)
            *number(panel, e / 32, e % 32) =
                (float)(100 * (e / 32) + first + e % 32);
        fence_proxy_async();
        __syncthreads();
        if (threadIdx.x == 0) {
            tma_add(&map, panel, first, 8, 1);
            bulk_commit();
            bulk_wait_read<1>();
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        bulk_wait<0>();
        if (gridDim.x == 1)
            *seen = *sum;
    }
}

TEST(each_number_is_added_where_it_belongs)
{
    float *sum = device<float>(columns * rows * matrices);
    CUtensorMap map;

    CHECK_EQUAL(tensor_map_f32(&map, sum, columns, rows, matrices, box_rows),
                0);
    add_boxes<<<3, 64, 2048>>>(map, 2, nullptr, nullptr);
    CHECK_EQUAL(cuda_on_cpu_counts().tma, 3 * 2 * 2);
    CHECK_EQUAL(cuda_on_cpu_counts().global_atomics, 3 * 2 * 64 * 5 * 4);
    auto got = host(sum, columns * rows * matrices);
    for (int m = 0; m < matrices; m++)
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < columns; c++) {
                bool in = m == 1 && r >= 8;
                float want = in ? 6.0f * (float)(100 * (r - 8) + c) : 0;

                CHECK(got[(m * rows + r) * columns + c] == want);
            }
}

TEST(who_waited_sees_the_sum)
{
    float *sum = device<float>(columns * rows * matrices);
    float *seen = device<float>(1);
    CUtensorMap map;

    tensor_map_f32(&map, sum, columns, rows, matrices, box_rows);
    add_boxes<<<1, 64, 2048>>>(map, 1, sum + (rows + 9) * columns + 3, seen);
    CHECK(host(seen, 1)[0] == 103);
}

/* --- Named barriers, registers -------------------------------------------- */

/* Two pairs of warps: the first one tells the second, goes on, and waits to hear
 * that it was read; five times. */
__global__ void pairs(float *a)
{
    __shared__ float s[2];
    int pair = threadIdx.x / 64, t = threadIdx.x % 64;
    for (int i = 0; i < 5; i++)
        if (t < 32) {
            if (t == 0)
                s[pair] = (float)i;
            bar_arrive(1 + 2 * pair, 64);
            bar_sync(2 + 2 * pair, 64);
        } else {
            bar_sync(1 + 2 * pair, 64);
            a[threadIdx.x] += s[pair];
            bar_arrive(2 + 2 * pair, 64);
        }
}

TEST(who_waits_at_a_named_barrier_sees_what_was_written_before_an_arrival)
{
    float *a = device<float>(128);
    pairs<<<1, 128>>>(a);
    CHECK(host(a, 128)[100] == 10);
}

__global__ void trade()
{
    if (threadIdx.x < 128)
        fewer_registers<24>();
    else
        more_registers<240>();
}

QUIET(registers_may_go_from_one_warpgroup_to_another, trade<<<1, 384>>>())

/* --- Order ---------------------------------------------------------------- */

/* Ordinary barriers go on working beside TMA: the tile is read by all, then
 * overwritten by ordinary stores, then read again. */
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

TEST(syncthreads_orders_what_was_read_after_a_copy)
{
    auto v = random_numbers(8 * 64, 5);
    float *a = device<float>(64);
    CUtensorMap map;
    CHECK(tensor_map_bf16(&map, device(v.size(), v.data()), 64, 8, 8, 1, 8) ==
          0);
    mixed<<<1, 64, 1024>>>(map, a);
    CHECK(host(a, 64)[63] == __bfloat162float(v[0]));
}

/* --- Deadlock ------------------------------------------------------------- */

__global__ void nobody_comes()
{
    __shared__ mbarrier full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 2);
        fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        mbarrier_arrive_and_expect(&full, 512);
    if (threadIdx.x < 32)
        mbarrier_wait(&full, 0);
    else
        bar_sync(3, 64);
}

static bool says(const char *kind, const char *text)
{
    for (size_t i = 0; i < cuda_on_cpu_findings(); i++)
        if (!strcmp(cuda_on_cpu_finding(i).kind, kind) &&
            strstr(cuda_on_cpu_finding(i).text, text))
            return true;
    return false;
}

TEST(a_deadlock_says_who_waits_for_what)
{
    nobody_comes<<<1, 64>>>();
    CHECK(cudaGetLastError() != cudaSuccess);
    CHECK(says("deadlock", "full, parity 0 (phase 0 is open: "
                           "1 of 2 arrivals, 512 bytes to come)"));
    CHECK(says("deadlock", "barrier 3 (32 of 64 threads)"));
    cuda_on_cpu_forgive();
}

/* Is a map of an array of 1 KiB refused, and for this reason? */
static bool refused(int columns, int rows, int box_columns, int element,
                    const char *why)
{
    CUtensorMap map;
    cudaError_t error = emu::tensor_map(
        &map,
        {device<char>(1024), columns, rows, rows, 1, box_columns, 8, element},
        emu::Site::here());
    bool told = says("TMA", why);
    cuda_on_cpu_forgive();
    return error != cudaSuccess && told;
}

TEST(a_tensor_map_that_does_not_fit_is_refused)
{
    CHECK(refused(64, 9, 64, 2, "no array has"));
    CHECK(refused(60, 8, 64, 2, "a multiple of 8"));
    CHECK(refused(256, 8, 256, 1, "rows of 256 bytes"));
    CHECK(refused(248, 8, 128, 1, "a multiple of 16"));
}

int main()
{
    return run_tests("test_hopper", CUDA_COUNT, CUDA_FULL);
}
