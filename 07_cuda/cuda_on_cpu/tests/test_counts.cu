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

int main()
{
    return run_tests("test_counts", CUDA_FULL, CUDA_FULL);
}
