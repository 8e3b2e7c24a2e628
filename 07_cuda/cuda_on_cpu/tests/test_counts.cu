/* test_counts.cu: what is counted equals what can be worked out by hand. */
#include "07_cuda/ptx/ptx.h"
#include "07_cuda/cuda_on_cpu/tests/check.h"

__global__ void copy(const float *from, float *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i];
}

TEST(a_copy_moves_each_byte_once)
{
    for (int n : {1, 31, 256, 1000}) {
        float *a = device<float>(n), *b = device<float>(n);
        copy<<<(n + 63) / 64, 64>>>(a, b, n);
        cuda_counts c = cuda_on_cpu_counts();
        CHECK_EQUAL(c.global_loaded, 4 * n);
        CHECK_EQUAL(c.global_stored, 4 * n);
        CHECK_EQUAL(c.global_loaded_once, 4 * n);
        CHECK_EQUAL(cuda_on_cpu_array_counts(a).loaded, 4 * n);
        CHECK_EQUAL(cuda_on_cpu_array_counts(a).stored, 0);
        CHECK_EQUAL(cuda_on_cpu_array_counts(b).stored, 4 * n);
        CHECK_EQUAL(c.blocks, (n + 63) / 64);
        CHECK_EQUAL(c.threads, (n + 63) / 64 * 64);
    }
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
    CHECK_EQUAL(c.warp_syncs, 1);
    CHECK_EQUAL(c.global_sectors, 32);
    CHECK_EQUAL(c.shared_wavefronts, 8);
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

/* C = A B for one warp: A 16 x 16K, B 16K x 16, both bf16, by cp.async. */
__global__ void tensor_cores(const __nv_bfloat16 *A, const __nv_bfloat16 *B,
                             float *C, int K)
{
    __shared__ __align__(16) __nv_bfloat16 As[16][24], Bs[16][24];
    int lane = threadIdx.x, r = lane / 2, h = lane % 2 * 8;
    float c[2][4] = {};
    for (int k = 0; k < K; k += 16) {
        cp_async_16(&As[r][h], &A[r * K + k + h]);
        cp_async_16(&Bs[r][h], &B[(k + r) * 16 + h]);
        cp_async_commit();
        cp_async_wait<0>();
        __syncwarp();
        unsigned a[4], b[4];
        ldmatrix_x4(a, &As[lane % 16][lane / 16 * 8]);
        ldmatrix_x4_trans(b, &Bs[lane % 16][lane / 16 * 8]);
        mma_m16n8k16_bf16(c[0], a, b);
        mma_m16n8k16_bf16(c[1], a, b + 2);
        __syncwarp();
    }
    for (int n = 0; n < 2; n++)
        for (int e = 0; e < 4; e++)
            C[(lane / 4 + e / 2 * 8) * 16 + 8 * n + lane % 4 * 2 + e % 2] =
                c[n][e];
}

TEST(tensor_cores_multiply_and_are_counted)
{
    const int K = 48;
    std::vector<__nv_bfloat16> A(16 * K), B(K * 16);
    for (int i = 0; i < 16 * K; i++) {
        A[i] = __float2bfloat16((float)(i * 7 % 13 - 6));
        B[i] = __float2bfloat16((float)(i * 5 % 11 - 5));
    }
    __nv_bfloat16 *a = device(16 * K, A.data()), *b = device(K * 16, B.data());
    float *C = device<float>(256);
    tensor_cores<<<1, 32>>>(a, b, C, K);
    cuda_counts c = cuda_on_cpu_counts();
    CHECK_EQUAL(c.mma, 2 * K / 16);
    CHECK_EQUAL(c.ldmatrix, 2 * K / 16);
    CHECK_EQUAL(c.global_loaded, 2 * 2 * 16 * K);
    CHECK_EQUAL(c.global_stored, 4 * 256);
    CHECK_EQUAL(c.shared_stored, 2 * 2 * 16 * K);
    CHECK_EQUAL(c.shared_loaded, 2 * K / 16 * 512);
    /* 32 rows of 32 bytes a step; and eight stores of 8 rows by half sectors */
    CHECK_EQUAL(c.global_sectors, K / 16 * 32 + 8 * 8);
    std::vector<float> got = host(C, 256);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += __bfloat162float(A[i * K + k]) *
                       __bfloat162float(B[k * 16 + j]);
            CHECK(got[i * 16 + j] == sum);
        }
}

/* cp.async with fewer bytes than 16 fills the rest with zeros, and reads no
 * more than those. */
__global__ void part_of_a_row(const float *a, float *b, int bytes)
{
    __shared__ __align__(16) float s[4];
    if (threadIdx.x == 0) {
        cp_async_16(s, a, bytes);
        cp_async_commit();
        cp_async_wait<0>();
    }
    __syncthreads();
    if (threadIdx.x < 4)
        b[threadIdx.x] = s[threadIdx.x];
}

TEST(cp_async_fills_with_zeros)
{
    float ones[4] = {1, 1, 1, 1};
    float *a = device(4, ones), *b = device<float>(4);
    for (int n = 0; n <= 4; n++) {
        part_of_a_row<<<1, 32>>>(a, b, 4 * n);
        CHECK_EQUAL(cuda_on_cpu_counts().global_loaded, 4 * n);
        std::vector<float> got = host(b, 4);
        for (int i = 0; i < 4; i++)
            CHECK(got[i] == (i < n ? 1.0f : 0.0f));
    }
}

int main()
{
    return run_tests("test_counts", CUDA_FULL, CUDA_FULL);
}
