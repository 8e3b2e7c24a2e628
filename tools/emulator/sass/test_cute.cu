/* test_cute.cu: compares the emulator's layouts, and the kernels' descriptors,
 * with NVIDIA's (cute.txt). */
#include <fstream>
#include <map>
#include <sstream>

#include "tools/emulator/cuda_on_cpu/hopper/tma_box.h"
#include "tools/emulator/cuda_on_cpu/hopper/warpgroup.h"
#include "tools/emulator/cuda_on_cpu/machine.h"
#include "tools/emulator/cuda_on_cpu/tests/check.h"
#include "07_cuda/ptx/ptx_hopper.h"

typedef std::vector<uint64_t> table;
static std::map<std::string, table> cute;
extern __shared__ __align__(1024) char smem[];

/* A column-major matrix of small integers, and their codes in bf16 or e4m3. */
struct matrix {
    int rows, size;
    std::vector<float> x;
    std::vector<uint8_t> codes;

    matrix(int rows, int columns, bool e4m3)
        : rows(rows), size(e4m3 ? 1 : 2), x(rows * columns),
          codes(x.size() * size)
    {
        for (size_t e = 0; e < x.size(); e++) {
            x[e] = (float)(rand() % 15 - 7);
            uint16_t code = e4m3 ? emu::to_e4m3(x[e]) : emu::to_bf16(x[e]);
            memcpy(&codes[e * size], &code, size);
        }
    }
    std::vector<uint8_t> registers(const char *layout) const
    {
        std::vector<uint8_t> to;

        for (uint64_t e : cute[layout])
            to.insert(to.end(), &codes[e * size], &codes[e * size] + size);
        return to;
    }
};

static void check_product(const float *c, const char *layout, const matrix &A,
                          const matrix &B, int K)
{
    for (uint64_t at : cute[layout]) {
        float want = 0;

        for (int k = 0; k < K; k++)
            want +=
                A.x[at % A.rows + k * A.rows] * B.x[at / A.rows + k * B.rows];
        CHECK(*c++ == want);
    }
}

static __global__ void warp(const unsigned *a, const unsigned *b, float *c,
                            unsigned *rows, unsigned *columns)
{
    int t = threadIdx.x;

    mma_m16n8k16_bf16(c + 4 * t, a + 4 * t, b + 2 * t);
    for (int e = t; e < 256; e += 32)
        ((uint16_t *)smem)[e] = (uint16_t)e;
    __syncwarp();
    ldmatrix_x4(rows + 4 * t, smem + 16 * t);
    ldmatrix_x4_trans(columns + 4 * t, smem + 16 * t);
}

TEST(registers_of_a_warp_are_those_of_cute)
{
    matrix A(16, 16, false), B(8, 16, false);
    auto a = A.registers("mma_A"), b = B.registers("mma_B");
    uint16_t *rows = device<uint16_t>(256), *columns = device<uint16_t>(256);
    float *c = device<float>(128);

    warp<<<1, 32, 512>>>((unsigned *)device(a.size(), a.data()),
                         (unsigned *)device(b.size(), b.data()), c,
                         (unsigned *)rows, (unsigned *)columns);
    check_product(host(c, 128).data(), "mma_C", A, B, 16);
    for (int e = 0; e < 256; e++) {
        CHECK_EQUAL(host(rows, 256)[e], cute["ldmatrix"][e]);
        CHECK_EQUAL(host(columns, 256)[e], cute["ldmatrix_trans"][e]);
    }
}

/* A tile whose layout is in cute.txt; each descriptor is for `block` rows.
 * The rows of "v" are the columns of V. In memory "v" is (key, column). */
struct tile {
    const char *name;
    int rows, columns, block;

    std::string shape(bool turned = false) const
    {
        return std::to_string(turned ? columns : rows) + "_" +
               std::to_string(turned ? rows : columns);
    }
    table &descriptors() const
    {
        return cute["descriptor_" + std::string(name) + "_" + shape()];
    }
};

/* Stores x in CuTe's layout. Checks that the emulator reads x by CuTe's
 * descriptors, that TMA stores to the same places, and that the kernels'
 * descriptor is CuTe's. */
static void check_tile(const tile &t, const matrix &x)
{
    const bool e4m3 = x.size == 1, turned = !strcmp(t.name, "v");
    const int K = e4m3 ? 32 : 16, row = (turned ? t.rows : t.columns) * x.size;
    const int rows = turned ? t.columns : t.rows, box = std::min(row, 128);
    const table &place =
        cute[(e4m3 ? "place_e4m3_" : "place_bf16_") + t.shape(turned)];
    static float out[32 * 256];

    for (size_t e = 0; e < x.codes.size(); e++) {
        int r = e / x.size % t.rows, c = e / x.size / t.rows;
        int at = turned ? c * row + r * x.size : r * row + c * x.size;

        at += e % x.size;
        smem[16 * place[at / 16] + at % 16] = (char)x.codes[e];
    }
    for (size_t d = 0; d < t.descriptors().size(); d++) {
        int r = d / (t.columns / K) * t.block, c = d % (t.columns / K) * K;

        emu::read_operand({t.descriptors()[d] + 64, turned, e4m3}, t.block, out,
                          256);
        for (int e = 0; e < t.block * K; e++)
            CHECK(out[e / t.block * 256 + e % t.block] ==
                  x.x[r + e % t.block + (c + e / t.block) * t.rows]);
    }
    for (int b = 0; b < row;
         b += box) { /* one TMA box for each 128 bytes of a row */
        emu::Tensor all = {nullptr, row / x.size, rows, rows,
                           1,       box / x.size, rows, x.size};
        emu::Box from = {{0, all}, smem + b * rows, b / x.size, 0, 0};

        emu::each_piece(from, [&](const char *to, const char *piece) {
            CHECK_EQUAL(to - smem, 16 * place[(size_t)piece / 16]);
        });
    }
    uint64_t own = e4m3 ? wgmma_operand_e4m3(smem, t.columns)
                        : wgmma_operand(smem, turned ? t.columns * 128 : 16);
    if (turned && t.rows == 64) /* with one panel, wgmma ignores panel_bytes */
        own &= ~(0x3fffull << 16);
    CHECK_EQUAL(own, t.descriptors()[0] + 64);
}

/* Checks wgmma with A in registers and B = x, a tile of 128 rows. */
static void check_wgmma(const tile &t, const matrix &x)
{
    const int K = x.size == 1 ? 32 : 16;
    matrix A(64, K, x.size == 1);
    auto a = A.registers(x.size == 1 ? "wgmma_A_e4m3" : "wgmma_A_bf16");
    std::vector<float> c(128 * 64);
    emu::Warpgroup g = {};
    emu::Wgmma w[128];
    emu::Product p = {};

    for (int l = 0; l < 128; l++) {
        w[l] = {&c[l * 64], nullptr, 0,     t.descriptors()[0] + 64,
                128,        false,   false, x.size == 1};
        g.given[l] = &w[l];
        p.a[l] = (unsigned *)&a[l * 16];
    }
    p.what = w[0];
    p.what.a = p.a[0];
    emu::accumulator_for(g, w[0]);
    g.under_way.push_back(p);
    emu::compute(g);
    for (int l = 0; l < 128; l++)
        emu::take(g, l, 1);
    check_product(c.data(), "wgmma_C", A, x, K);
}

static __global__ void in_shared(const tile t)
{
    emu::Unwatched quiet; /* x is in the host's memory, so turn off checks */
    matrix x(t.rows, t.columns, strchr(t.name, '8') != nullptr);

    check_tile(t, x);
    if (t.rows == 128 && t.block == 128 && strcmp(t.name, "v"))
        check_wgmma(t, x);
}

TEST(tiles_and_descriptors_are_those_of_cute)
{
    static const tile tiles[] = {
        {"q", 64, 64, 64},    {"q", 64, 128, 64},    {"q", 128, 64, 64},
        {"q", 128, 128, 64},  {"q", 192, 64, 64},    {"k", 128, 64, 128},
        {"k", 128, 128, 128}, {"k", 64, 128, 64},    {"q8", 192, 64, 64},
        {"q8", 128, 128, 64}, {"k8", 128, 64, 128},  {"k8", 128, 128, 128},
        {"v8", 64, 128, 64},  {"v8", 128, 128, 128}, {"v", 64, 128, 64},
        {"v", 128, 128, 128}, {"v", 128, 64, 128},
    };

    for (const tile &t : tiles)
        in_shared<<<1, 1, 32768>>>(t);
}

int main()
{
    std::ifstream file("tools/emulator/sass/cute.txt");
    std::string line, name;

    while (std::getline(file, line)) {
        std::istringstream words(line);

        words >> name;
        while (name[0] != '#' && words >> line)
            cute[name].push_back(std::stoull(line, nullptr, 0));
    }
    return run_tests("test_cute");
}
