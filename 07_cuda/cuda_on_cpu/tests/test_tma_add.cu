/* test_tma_add.cu: what backward rung 4b asks for besides: boxes that TMA adds,
 * and a wgmma that reads both operands by columns. Mistakes:
 * ../bugs/9d_tma_add.cu. */
#include "07_cuda/ptx/ptx_hopper.h"
#include "07_cuda/cuda_on_cpu/tests/check.h"

extern __shared__ __align__(1024) char smem[];

static const int columns = 64, rows = 13, matrices = 3, box_rows = 8;

/* Where column c of row r of a panel of 32 floats lies. */
static __device__ float *number(char *panel, int r, int c)
{
    return (float *)(panel + r * 128 + (c / 4 ^ r % 8) * 16) + c % 4;
}

/* Each block adds 100 r + c to matrix 1, from row 8 on, two panels; a panel at
 * a time in its own place, so that one group may remain. */
__global__ void add_boxes(const __grid_constant__ CUtensorMap map, int times)
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
    if (threadIdx.x == 0)
        bulk_wait<0>();
}

TEST(each_number_is_added_where_it_belongs)
{
    float *sum = device<float>(columns * rows * matrices);
    std::vector<float> got(columns * rows * matrices);
    CUtensorMap map;

    CHECK_EQUAL(tensor_map_f32(&map, sum, columns, rows, matrices, box_rows),
                0);
    add_boxes<<<3, 64, 2048>>>(map, 2);
    CHECK_EQUAL(cudaDeviceSynchronize(), 0);
    CHECK_EQUAL(cuda_on_cpu_counts().tma, 3 * 2 * 2);
    CHECK_EQUAL(cuda_on_cpu_counts().global_atomics, 3 * 2 * 64 * 5 * 4);
    cudaMemcpy(got.data(), sum, got.size() * sizeof(float),
               cudaMemcpyDeviceToHost);
    for (int m = 0; m < matrices; m++)
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < columns; c++) {
                bool in = m == 1 && r >= 8;
                float want = in ? 6.0f * (float)(100 * (r - 8) + c) : 0;

                CHECK(got[(m * rows + r) * columns + c] == want);
            }
    CHECK_EQUAL(cuda_on_cpu_findings(), 0);
    cudaFree(sum);
}

/* What was added is there for who waited, in the same kernel. */
__global__ void add_and_look(const __grid_constant__ CUtensorMap map,
                             const float *sum, float *seen)
{
    for (int e = threadIdx.x; e < box_rows * 32; e += blockDim.x)
        *number(smem, e / 32, e % 32) = 1;
    fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        tma_add(&map, smem, 0, 0, 0);
        bulk_commit();
        bulk_wait<0>();
        seen[0] = sum[columns + 3];
    }
}

TEST(who_waited_sees_the_sum)
{
    float *sum = device<float>(columns * rows * matrices), got = 0;
    float *seen = device<float>(1);
    CUtensorMap map;

    tensor_map_f32(&map, sum, columns, rows, matrices, box_rows);
    add_and_look<<<1, 64, 1024>>>(map, sum, seen);
    cudaMemcpy(&got, seen, sizeof got, cudaMemcpyDeviceToHost);
    CHECK(got == 1);
    CHECK_EQUAL(cuda_on_cpu_findings(), 0);
    cudaFree(sum);
    cudaFree(seen);
}

/* --- Both by columns ------------------------------------------------------ */

static const int depth = 32;

static __device__ __nv_bfloat16 *element(char *panel, int r, int c)
{
    return (__nv_bfloat16 *)(panel + r * 128 + (c / 8 ^ r % 8) * 16) + c % 8;
}

static __host__ __device__ float a_of(int k, int i)
{
    return (float)((7 * k + 3 * i) % 11 - 5);
}
static __host__ __device__ float b_of(int k, int j)
{
    return (float)((5 * k + 2 * j) % 13 - 6);
}

/* c = A^T B: A is 32 x 64, B 32 x N, in panels of 64 columns. */
template <int N> __global__ void product(float *c)
{
    char *A = smem, *B = smem + depth * 128;
    int t = threadIdx.x, row = t / 32 * 16 + t % 32 / 4;
    float d[N / 2];

    for (int e = t; e < depth * 64; e += 128)
        *element(A, e / 64, e % 64) = __float2bfloat16(a_of(e / 64, e % 64));
    for (int e = t; e < depth * N; e += 128)
        *element(B + e % N / 64 * depth * 128, e / N, e % 64) =
            __float2bfloat16(b_of(e / N, e % N));
    fence_proxy_async();
    __syncthreads();
    wgmma_fence();
    for (int k = 0; k < depth; k += 16)
        wgmma_transposed(d, bytes_on(wgmma_operand(A), k * 128),
                         bytes_on(wgmma_operand(B, depth * 128), k * 128),
                         k > 0);
    wgmma_commit();
    wgmma_wait<0>(d);
    for (int i = 0; i < N / 2; i++)
        c[(row + i / 2 % 2 * 8) * N + i / 4 * 8 + t % 4 * 2 + i % 2] = d[i];
}

template <int N> static void check_product()
{
    float *c = device<float>(64 * N);
    std::vector<float> got(64 * N);

    product<N><<<1, 128, depth *(64 + N) * 2>>>(c);
    cudaMemcpy(got.data(), c, got.size() * sizeof(float),
               cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < N; j++) {
            float want = 0;

            for (int k = 0; k < depth; k++)
                want += a_of(k, i) * b_of(k, j);
            CHECK(got[i * N + j] == want);
        }
    CHECK_EQUAL(cuda_on_cpu_findings(), 0);
    cudaFree(c);
}

TEST(both_operands_may_be_read_by_columns)
{
    check_product<64>();
    check_product<128>();
}

int main()
{
    const char *efforts[] = {"count", "check", "full"};
    int failed = 0;
    for (int e = 0; e < 3; e++) {
        cuda_on_cpu_set_effort((cuda_effort)(CUDA_COUNT + e));
        failed |=
            run_tests((std::string("test_tma_add, ") + efforts[e]).c_str());
    }
    return failed;
}
