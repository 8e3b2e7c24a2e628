/* test_fp8.cu: fp8 e4m3: what a code means, how numbers are rounded to one,
 * and what TMA and wgmma make of them. Page: docs/hopper.md. */
#include "07_cuda/ptx/ptx_hopper.h"
#include "07_cuda/cuda_on_cpu/tests/check.h"

extern __shared__ __align__(1024) char smem[];

/* --- Codes ---------------------------------------------------------------- */

/* By the definition: 2^(e - 7) (1 + n / 8), or 2^-6 n / 8 where e is 0. */
static double meaning(int code)
{
    int e = code >> 3 & 15, n = code & 7;
    double size = e ? ldexp(8 + n, e - 10) : ldexp(n, -9);
    if ((code & 127) == 127)
        return NAN;
    return code & 128 ? -size : size;
}

TEST(every_code_means_what_the_format_says)
{
    for (int code = 0; code < 256; code++) {
        double x = emu::from_e4m3((uint8_t)code), want = meaning(code);
        CHECK(x == want || (isnan(x) && isnan(want)));
        CHECK(signbit(x) == (code >= 128) || isnan(want));
    }
    CHECK(emu::from_e4m3(126) == 448);
    CHECK(emu::from_e4m3(1) == 0x1p-9f);
}

TEST(every_number_comes_back_as_its_own_code)
{
    for (int code = 0; code < 256; code++)
        if ((code & 127) != 127)
            CHECK_EQUAL(emu::to_e4m3((float)meaning(code)), code);
}

/* Halfway between two codes lies the even one; a float beyond, the other. */
TEST(numbers_between_two_codes_go_to_the_nearest_even)
{
    for (int code = 0; code < 126; code++) {
        float half = (float)((meaning(code) + meaning(code + 1)) / 2);
        CHECK_EQUAL(emu::to_e4m3(half), code + code % 2);
        CHECK_EQUAL(emu::to_e4m3(nextafterf(half, 0)), code);
        CHECK_EQUAL(emu::to_e4m3(nextafterf(half, 1000)), code + 1);
        CHECK_EQUAL(emu::to_e4m3(-half), 128 + code + code % 2);
    }
}

TEST(what_is_too_large_becomes_448_and_nan_stays_nan)
{
    for (float x : {449.f, 464.f, 480.f, 1e30f, HUGE_VALF}) {
        CHECK_EQUAL(emu::to_e4m3(x), 126);
        CHECK_EQUAL(emu::to_e4m3(-x), 254);
    }
    CHECK_EQUAL(emu::to_e4m3(NAN), 127);
    CHECK_EQUAL(emu::to_e4m3(-NAN), 127);
    CHECK_EQUAL(emu::to_e4m3(0x1p-11f), 0);
    CHECK_EQUAL(emu::to_e4m3(-1e-40f), 128);
}

TEST(four_are_packed_lowest_byte_first)
{
    CHECK_EQUAL(pack_e4m3x4(1, -2, 448, 0), 0x007ec038u);
}

/* --- wgmma and TMA -------------------------------------------------------- */

/* Any finite code; the products are multiples of 2^-18, and a sum of few is
 * exact in fp32 if they are not too far apart. */
static std::vector<uint8_t> random_codes(size_t n, unsigned seed)
{
    std::vector<uint8_t> v(n);
    for (uint8_t &x : v) {
        seed = seed * 1664525u + 1013904223u;
        x = (uint8_t)((seed >> 24 & 0x9f) + 0x30); /* 2^-1 .. 15 x 2^1 */
    }
    return v;
}

/* C = A B^T: A is 64 x width, B N x width, brought by TMA in rows of `width`
 * bytes; or A comes from registers. */
template <int N, int width, bool in_registers>
__global__ void product(const __grid_constant__ CUtensorMap a,
                        const __grid_constant__ CUtensorMap b,
                        const uint8_t *bytes, float *c)
{
    __shared__ mbarrier full;
    char *A = smem, *B = smem + 64 * width;
    int t = threadIdx.x, lane = t % 32, row = t / 32 * 16 + lane / 4;
    float d[N / 2];
    unsigned fragment[width / 32][4];

    if (t == 0) {
        mbarrier_init(&full, 1);
        fence_mbarrier_init();
        mbarrier_arrive_and_expect(&full, (64 + N) * width);
        tma_load(A, &a, &full, 0, 0, 0);
        tma_load(B, &b, &full, 0, 0, 0);
    }
    for (int k = 0; k < width / 32; k++)
        for (int i = 0; i < 4; i++)
            fragment[k][i] =
                *(const unsigned *)&bytes[(row + i % 2 * 8) * width + 32 * k +
                                          i / 2 * 16 + lane % 4 * 4];
    __syncthreads();
    mbarrier_wait(&full, 0);
    wgmma_fence();
    for (int k = 0; k < width; k += 32) {
        auto right = bytes_on(wgmma_operand_e4m3(B, width), k);
        if (in_registers)
            wgmma_e4m3(d, fragment[k / 32], right, k > 0);
        else
            wgmma_e4m3(d, bytes_on(wgmma_operand_e4m3(A, width), k), right,
                       k > 0);
    }
    wgmma_commit();
    wgmma_wait<0>(d);
    for (int e = 0; e < N / 2; e++)
        c[(row + e / 2 % 2 * 8) * N + e / 4 * 8 + lane % 4 * 2 + e % 2] = d[e];
}

template <int N, int width, bool in_registers> static void check_product()
{
    auto a = random_codes(64 * width, 1), b = random_codes(N * width, 2);
    uint8_t *A = device(a.size(), a.data()), *B = device(b.size(), b.data());
    float *c = device<float>(64 * N);
    CUtensorMap map_a, map_b;
    CHECK(tensor_map_e4m3(&map_a, A, width, 64, 64, 1, width, 64) == 0);
    CHECK(tensor_map_e4m3(&map_b, B, width, N, N, 1, width, N) == 0);
    const int bytes = (64 + N) * width;
    product<N, width, in_registers><<<1, 128, bytes>>>(map_a, map_b, A, c);
    auto got = host(c, 64 * N);
    CHECK_EQUAL(cuda_on_cpu_counts().wgmma, width / 32);
    CHECK_EQUAL(cuda_on_cpu_array_counts(B).loaded, N * width);
    int wrong = 0;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < width; k++)
                sum += meaning(a[i * width + k]) * meaning(b[j * width + k]);
            wrong += !(sum == got[i * N + j]);
        }
    CHECK_EQUAL(wrong, 0);
}

TEST(wgmma_multiplies_rows_of_128_bytes)
{
    check_product<64, 128, false>();
    check_product<128, 128, false>();
}

TEST(wgmma_multiplies_rows_of_64_bytes)
{
    check_product<64, 64, false>();
    check_product<128, 64, false>();
}

TEST(wgmma_takes_e4m3_from_registers)
{
    check_product<64, 128, true>();
    check_product<128, 128, true>();
    check_product<128, 64, true>();
}

TEST(a_box_of_bytes_has_a_width_that_can_be_swizzled)
{
    CUtensorMap map;
    uint8_t *a = device<uint8_t>(256 * 8);
    CHECK(tensor_map_e4m3(&map, a, 256, 8, 8, 1, 256, 8) != 0);
    CHECK(cuda_on_cpu_findings() == 1);
    CHECK(strstr(cuda_on_cpu_finding(0).text, "rows of 256 bytes"));
    cuda_on_cpu_forgive();
    CHECK(tensor_map_e4m3(&map, a, 248, 8, 8, 1, 128, 8) != 0);
    CHECK(strstr(cuda_on_cpu_finding(0).text, "a multiple of 16"));
    cuda_on_cpu_forgive();
}

int main()
{
    return run_tests("test_fp8");
}
