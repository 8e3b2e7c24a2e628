/* test_banks.cu: bank conflicts and sectors of known access patterns. */
#include "07_cuda/ptx/ptx.h"
#include "07_cuda/cuda_on_cpu/tests/check.h"

/* Runs are one warp. A pattern is its store into shared memory; the load of
 * `a` that feeds it is coalesced. Returns wavefronts - those at best. */
template <class Launch> static uint64_t conflicts(Launch launch)
{
    float *a = device<float>(4096);
    launch(a);
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

TEST(a_column_of_32_floats_hits_one_bank_32_times)
{
    CHECK_EQUAL(conflicts([](float *a) { column<32><<<1, 32>>>(a); }), 31);
    CHECK_EQUAL(cuda_on_cpu_counts().shared_wavefronts, 33);
}

TEST(one_float_of_padding_removes_the_conflicts)
{
    CHECK_EQUAL(conflicts([](float *a) { column<33><<<1, 32>>>(a); }), 0);
}

TEST(an_even_stride_shares_banks)
{
    CHECK_EQUAL(conflicts([](float *a) { column<2><<<1, 32>>>(a); }), 1);
    CHECK_EQUAL(conflicts([](float *a) { column<34><<<1, 32>>>(a); }), 1);
    CHECK_EQUAL(conflicts([](float *a) { column<36><<<1, 32>>>(a); }), 3);
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
    CHECK_EQUAL(conflicts([](float *a) { broadcast<<<1, 32>>>(a); }), 0);
    CHECK_EQUAL(cuda_on_cpu_counts().shared_wavefronts, 2);
}

/* Rows of `stride` 16-bit elements, read by ldmatrix: a phase is 8 rows of
 * 16 bytes. swizzle: chunk c of row r lies where chunk c ^ (r % 8) would. */
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

TEST(ldmatrix_of_128_byte_rows_conflicts_8_ways_until_swizzled)
{
    /* 4 phases; the stores before are 2-byte ones, without conflicts */
    CHECK_EQUAL(
        conflicts([](float *a) { matrix_rows<64, false><<<1, 32>>>(a); }),
        4 * 7);
    CHECK_EQUAL(
        conflicts([](float *a) { matrix_rows<64, true><<<1, 32>>>(a); }), 0);
    CHECK_EQUAL(
        conflicts([](float *a) { matrix_rows<72, false><<<1, 32>>>(a); }), 0);
    CHECK_EQUAL(
        conflicts([](float *a) { matrix_rows<16, false><<<1, 32>>>(a); }), 4);
}

template <int stride> __global__ void strided(const float *a, float *b)
{
    b[threadIdx.x] = a[stride * threadIdx.x];
}

TEST(a_stride_fetches_more_sectors)
{
    float *a = device<float>(4096), *b = device<float>(32);
    strided<1><<<1, 32>>>(a, b);
    CHECK_EQUAL(cuda_on_cpu_counts().global_sectors, 4 + 4);
    strided<2><<<1, 32>>>(a, b);
    CHECK_EQUAL(cuda_on_cpu_counts().global_sectors, 8 + 4);
    strided<64><<<1, 32>>>(a, b);
    CHECK_EQUAL(cuda_on_cpu_counts().global_sectors, 32 + 4);
    CHECK_EQUAL(cuda_on_cpu_counts().global_sectors_best, 4 + 4);
}

TEST(the_report_names_the_line)
{
    char text[4000] = "";
    FILE *to = fmemopen(text, sizeof text - 1, "w");
    conflicts([](float *a) { column<32><<<1, 32>>>(a); });
    cuda_on_cpu_report(to);
    fclose(to);
    /* the line of s[t * stride] = a[t] above */
    CHECK(strstr(text, "test_banks.cu:19   shared"));
    CHECK(strstr(text, "32.00 wavefronts a request, 1.00 at best"));
}

int main()
{
    return run_tests("test_banks", CUDA_FULL, CUDA_FULL);
}
