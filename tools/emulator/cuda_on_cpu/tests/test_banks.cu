/* test_banks.cu: tests of the counted accesses, bank conflicts and sectors for
 * known patterns. The tests of the rungs check bytes and blocks. */
#include "07_cuda/ptx/ptx_hopper.h"
#include "tools/emulator/cuda_on_cpu/tests/check.h"

/* Runs a kernel with one warp. Returns the wavefronts above the smallest
 * possible number. */
static uint64_t conflicts(void (*pattern)(float *))
{
    emu::kernel(pattern, "pattern")(1, 32)(device<float>(4096));
    cuda_counts c = cuda_on_cpu_counts();
    return c.shared_wavefronts - c.shared_wavefronts_best;
}

template <int stride> __global__ void column(float *a)
{
    __shared__ float s[32 * stride];
    int t = threadIdx.x;
    s[t * stride] = a[t];
    __syncwarp();
    if (t == 0)
        a[0] = s[0];
}

TEST(only_odd_strides_have_no_bank_conflicts)
{
    CHECK_EQUAL(conflicts(column<33>), 0);
    CHECK_EQUAL(conflicts(column<2>), 1);
    CHECK_EQUAL(conflicts(column<34>), 1);
    CHECK_EQUAL(conflicts(column<36>), 3);
    CHECK_EQUAL(conflicts(column<32>), 31);
    CHECK_EQUAL(cuda_on_cpu_counts().shared_wavefronts, 33);
}

__global__ void broadcast(float *a)
{
    __shared__ float s[32];
    s[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    a[threadIdx.x] = s[5];
}

TEST(a_broadcast_is_one_wavefront)
{
    CHECK_EQUAL(conflicts(broadcast), 0);
    CHECK_EQUAL(cuda_on_cpu_counts().shared_wavefronts, 2);
}

/* With a stride of 2, lanes t and t + 8 use the same banks. */
template <int stride> __global__ void pairs_apart(float *a)
{
    __shared__ float2 s[32 * stride];
    s[stride * threadIdx.x] = make_float2(a[0], 0);
}

TEST(half_a_warp_accesses_8_bytes_a_lane_at_once)
{
    CHECK_EQUAL(conflicts(pairs_apart<1>), 0);
    CHECK_EQUAL(cuda_on_cpu_counts().shared_wavefronts, 2);
    CHECK_EQUAL(conflicts(pairs_apart<2>), 2);
}

/* Rows have `stride` 16-bit elements. A phase of ldmatrix reads 8 rows. */
template <int stride, bool swizzle> __global__ void matrix_rows(float *a)
{
    __shared__ __align__(16) __nv_bfloat16 s[16 * stride];
    int t = threadIdx.x, row = t % 16, chunk = t / 16;
    unsigned r[4];
    for (int i = t; i < 16 * stride; i += 32)
        s[i] = __float2bfloat16(0);
    __syncwarp();
    if (swizzle)
        chunk ^= row % 8;
    ldmatrix_x4(r, &s[row * stride + 8 * chunk]);
    a[t] = (float)r[0];
}

TEST(ldmatrix_of_128_byte_rows_has_8_way_conflicts_without_swizzle)
{
    /* Each of 4 phases has 7 conflicts. The 2-byte stores have none. */
    CHECK_EQUAL(conflicts(matrix_rows<64, false>), 4 * 7);
    CHECK_EQUAL(conflicts(matrix_rows<64, true>), 0);
    CHECK_EQUAL(conflicts(matrix_rows<72, false>), 0);
    CHECK_EQUAL(conflicts(matrix_rows<16, false>), 4);
}

template <int stride> __global__ void strided(const float *a, float *b)
{
    b[threadIdx.x] = a[stride * threadIdx.x];
}

static uint64_t sectors(void (*pattern)(const float *, float *))
{
    emu::kernel(pattern, "pattern")(1, 32)(device<float>(4096),
                                           device<float>(32));
    CHECK_EQUAL(cuda_on_cpu_counts().global_sectors_best, 4 + 4);
    return cuda_on_cpu_counts().global_sectors;
}

TEST(a_stride_fetches_more_sectors)
{
    CHECK_EQUAL(sectors(strided<1>), 4 + 4);
    CHECK_EQUAL(sectors(strided<2>), 8 + 4);
    CHECK_EQUAL(sectors(strided<64>), 32 + 4);
}

__global__ void scale4(const float4 *from, float4 *to)
{
    __shared__ float4 s[32];
    int t = threadIdx.x;
    float4 v = from[t];
    v.x *= 2;
    s[t] = v;
    __syncwarp();
    float4 u = s[31 - t];
    to[t] = make_float4(u.x, u.y, u.z + 1, u.w);
}

TEST(a_float4_is_one_access)
{
    float4 *a = device<float4>(32), *b = device<float4>(32);
    scale4<<<1, 32>>>(a, b);
    cuda_counts c = cuda_on_cpu_counts();
    CHECK_EQUAL(c.global_loaded, 512);
    CHECK_EQUAL(c.global_stored, 512);
    CHECK_EQUAL(c.shared_loads, 32);
    CHECK_EQUAL(c.shared_stores, 32);
    CHECK_EQUAL(c.shared_loaded, 512);
    CHECK(c.static_shared >= 512);
    CHECK(c.private_bytes > 0 && c.private_bytes < 4000);
    CHECK_EQUAL(c.warp_syncs, 1);
    CHECK_EQUAL(c.global_sectors, 32);
    CHECK_EQUAL(c.shared_wavefronts, 8);
}

__global__ void copy_async(const float4 *from, float *to, bool meanwhile)
{
    __shared__ float4 s[32];
    __shared__ float other[32];
    int t = threadIdx.x;
    other[t] = 1;
    cp_async_16(&s[t], &from[t]);
    cp_async_commit();
    float x = meanwhile ? other[t] : 0;
    cp_async_wait<0>();
    to[t] = x + s[t].x;
}

TEST(shared_loads_are_counted_during_copies)
{
    float4 *a = device<float4>(32);
    float *b = device<float>(32);
    copy_async<<<1, 32>>>(a, b, false);
    CHECK_EQUAL(cuda_on_cpu_counts().loaded_meanwhile, 0);
    copy_async<<<1, 32>>>(a, b, true);
    CHECK_EQUAL(cuda_on_cpu_counts().loaded_meanwhile, 128);
}

__device__ float hidden[32];

__global__ void store_hidden(const float *from)
{
    for (int t = 0; t < 32 && threadIdx.x == 0; t++)
        hidden[t] = from[t];
}

TEST(stores_to_device_variables_and_the_busiest_thread_are_counted)
{
    float *a = device<float>(32);
    store_hidden<<<1, 32>>>(a);
    CHECK_EQUAL(cuda_on_cpu_counts().global_loads, 32);
    CHECK_EQUAL(cuda_on_cpu_counts().variables, 128);
    CHECK_EQUAL(cuda_on_cpu_counts().busiest, 128);
}

struct Row {
    float v[24];
};

__global__ void copy_rows(const Row *from, Row *to)
{
    to[threadIdx.x] = from[threadIdx.x];
    memset(&to[32], 0, sizeof to[32].v);
}

TEST(a_struct_copied_by_memcpy_is_counted)
{
    Row *a = device<Row>(32), *b = device<Row>(33);
    copy_rows<<<1, 1>>>(a, b);
    CHECK_EQUAL(cuda_on_cpu_counts().global_loaded, sizeof(Row));
    CHECK_EQUAL(cuda_on_cpu_counts().global_stored, 2 * sizeof(Row));
}

__global__ void pairs(const float2 *from, __nv_bfloat162 *to)
{
    float2 v = from[threadIdx.x];
    to[threadIdx.x] = __floats2bfloat162_rn(v.x, v.y);
}

TEST(a_pair_is_one_access)
{
    float2 *a = device<float2>(32);
    __nv_bfloat162 *b = device<__nv_bfloat162>(32);
    pairs<<<1, 32>>>(a, b);
    cuda_counts c = cuda_on_cpu_counts();
    CHECK_EQUAL(c.global_loaded, 256);
    CHECK_EQUAL(c.global_stored, 128);
    CHECK_EQUAL(c.global_sectors, 8 + 4);
}

extern __shared__ __align__(1024) char smem[];

/* Only one of the box's 8 rows is in the tensor. */
__global__ void load_box(const __grid_constant__ CUtensorMap map)
{
    __shared__ mbarrier full;
    mbarrier_init(&full, 1);
    fence_mbarrier_init();
    mbarrier_arrive_and_expect(&full, 1024);
    tma_load(smem, &map, &full, 0, 7, 0);
    mbarrier_wait(&full, 0);
}

TEST(a_box_of_tma_fetches_whole_sectors)
{
    CUtensorMap map;
    tensor_map_bf16(&map, device<float>(256), 64, 8, 8, 1, 8);
    load_box<<<1, 1, 1024>>>(map);
    cuda_counts c = cuda_on_cpu_counts();
    CHECK_EQUAL(c.tma, 1);
    CHECK_EQUAL(c.global_loaded, 128);
    CHECK_EQUAL(c.global_sectors, 4);
    CHECK_EQUAL(c.global_sectors_best, 4);
}

TEST(the_report_names_the_line)
{
    char text[4000] = "";
    FILE *to = fmemopen(text, sizeof text - 1, "w");
    conflicts(column<32>);
    cuda_on_cpu_report(to);
    fclose(to);
    /* the line of s[t * stride] = a[t] above */
    CHECK(strstr(text, "test_banks.cu:19   shared"));
    CHECK(strstr(text, "32.00 wavefronts per request, 1.00 at best"));
}

__global__ void turned(const float *a, float *b)
{
    __shared__ float s[32 * 32];
    int t = threadIdx.x;
    s[32 * t] = a[2 * t];
    __syncthreads();
    atomicAdd(b, s[32 * (31 - t)]);
    b[t + 1] = s[32 * t];
}

/* turned loads every other float of a, and stores from b + 4. */
TEST(a_report_has_the_counts_of_the_last_launch)
{
    const char *want =
        "turned: 1 blocks, 32 threads\n"
        "  array               bytes         loaded   times         stored   "
        "times\n"
        "  a                     256            128    0.50              0    "
        "0.00\n"
        "  b                     256              0    0.00            256    "
        "1.00\n"
        "  global bytes loaded 128, stored 128, by atomics 128\n"
        "  bytes if each byte were loaded once: 128 (loaded 1.00 times as "
        "many)\n"
        "  shared: 64 loads (256 bytes), 32 stores (128)\n"
        "  barriers 1, warp syncs 0, shuffles 0, ldmatrix 0, mma 0\n"
        "  bank conflicts: 93 extra wavefronts (3 without conflicts)\n"
        "  coalescing: 14 sectors, 9 at best\n"
        "    test_banks.cu:";
    char text[4000] = "";
    FILE *to = fmemopen(text, sizeof text - 1, "w");
    float *a = device<float>(64), *b = device<float>(64);
    cuda_on_cpu_name(a, "a");
    cuda_on_cpu_name(b, "b");
    turned<<<1, 32>>>(a, b);
    cuda_on_cpu_report(to);
    fclose(to);
    CHECK(!strncmp(text, want, strlen(want)));
}

__global__ void only_stores(float *a)
{
    a[threadIdx.x] = 1;
}

TEST(a_report_without_loads_has_no_ratio)
{
    char text[4000] = "";
    FILE *to = fmemopen(text, sizeof text - 1, "w");
    only_stores<<<1, 32>>>(device<float>(32));
    cuda_on_cpu_report(to);
    fclose(to);
    CHECK(strstr(text, "once: 0 (loaded 0.00 times as many)"));
}

__global__ void nothing()
{
}

TEST(the_threads_of_a_block_are_counted_in_three_dimensions)
{
    nothing<<<1, dim3(4, 3, 2)>>>();
    CHECK_EQUAL(cuda_on_cpu_counts().most_threads, 24);
}

int main()
{
    return run_tests("test_banks", CUDA_FULL, CUDA_FULL);
}
