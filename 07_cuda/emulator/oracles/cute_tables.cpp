/*
 * What CuTe says, as C arrays: NVIDIA's own library of layouts, asked on the
 * host. It needs neither a GPU nor CUDA, only the headers.
 *
 *     cute_tables h > cute_tables.h; cute_tables > cute_data.c
 */
#include <cstddef>
#include <cstdint>
#define CUTE_CVTA_GENERIC_TO_SHARED_ACTIVATED 1
static inline size_t __cvta_generic_to_shared(const void *p)
{
    return (size_t)p;
}
#include <cute/atom/copy_traits_sm75.hpp>
#include <cute/atom/mma_traits_sm80.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>
#include <cute/tensor.hpp>

#include <cstdio>

using namespace cute;
using bf16 = cutlass::bfloat16_t;
using e4m3 = cutlass::float_e4m3_t;

static bool declare; /* or define */

/* A table of R rows; f(r, c) is printed with this format. */
template <class F>
static void table(const char *type, const char *name, int R, int C,
                  const char *format, F f)
{
    printf("%s%s %s[%d][%d]", declare ? "extern " : "", type, name, R, C);
    for (int r = 0; r < R && !declare; r++) {
        printf(r ? "{" : " = {\n{");
        for (int c = 0; c < C; c++)
            printf(format, f(r, c));
        printf("},\n");
    }
    puts(declare ? ";" : "};");
}

/* Of an instruction: which element a value of a thread is, as row + column
 * times rows; of ldmatrix: which bit. */
template <class L> static void values(const char *name, L layout)
{
    table("int", name, size<0>(layout), size<1>(layout), "%d,",
          [=](int t, int v) { return int(layout(t, v)); });
}

/* Where a tile keeps element (r, c), in bytes. */
template <class T, class L> static void places(const char *name, L layout)
{
    const uintptr_t at = 0x100000;
    auto tile = make_tensor(make_smem_ptr((T *)at), layout);

    table("int", name, size<0>(layout), size<1>(layout), "%d,",
          [=](int r, int c) { return int((uintptr_t)&tile(r, c) - at); });
}

/* The descriptor of each block of MN rows and K columns of a tile that lies at
 * address 0: CUTLASS makes the first, and adds to its address. */
template <GMMA::Major major, int MN, int K, class T, class L>
static void descriptors(const char *name, L layout)
{
    auto tile = make_tensor(make_smem_ptr((T *)0), layout);
    auto first = GMMA::make_gmma_desc<major>(
        local_tile(tile, Shape<Int<MN>, Int<K>>{}, make_coord(0, 0)));
    auto plain = layout.layout_b(); /* before the swizzle */

    table(
        "unsigned long long", name, size<0>(layout) / MN, size<1>(layout) / K,
        "0x%llxull,", [=](int r, int c) {
            int on = int(plain(r * MN, c * K)) * int(sizeof(T)) / 16;

            return (unsigned long long)(*(GMMA::DescriptorIterator{first} + on))
                .desc_;
        });
}

/* R x C tiles that are read by rows, in blocks of rows x columns. */
#define BY_ROWS(name, atom, T, R, C, rows, columns)                            \
    {                                                                          \
        auto l = tile_to_shape(GMMA::atom<T>{}, Shape<Int<R>, Int<C>>{});      \
        places<T>("place_" #name, l);                                          \
        descriptors<GMMA::Major::K, rows, columns, T>("descriptor_" #name, l); \
    }
/* V, as (column, key): all keys of 64 columns, then of the next 64. */
#define TRANSPOSED(name, D, Bc)                                                \
    {                                                                          \
        auto l = tile_to_shape(GMMA::Layout_MN_SW128_Atom<bf16>{},             \
                               Shape<Int<D>, Int<Bc>>{}, Step<_2, _1>{});      \
        places<bf16>("place_" #name, l);                                       \
        descriptors<GMMA::Major::MN, D, 16, bf16>("descriptor_" #name, l);     \
    }

int main(int argc, char **)
{
    using mma = MMA_Traits<SM80_16x8x16_F32BF16BF16F32_TN>;
    using rows = Copy_Traits<SM75_U32x4_LDSM_N>;
    using columns = Copy_Traits<SM75_U16x8_LDSM_T>;

    declare = argc > 1;
    puts("/* Made by cute_tables.cpp. */");
    values("mma_A", mma::ALayout{});
    values("mma_B", mma::BLayout{});
    values("mma_C", mma::CLayout{});
    values("wgmma_C64",
           MMA_Traits<SM90_64x64x32_F32E4M3E4M3_RS_TN<>>::CLayout{});
    values("wgmma_C128", MMA_Traits<SM90_64x128x16_F32BF16BF16_SS<
                             GMMA::Major::K, GMMA::Major::K>>::CLayout{});
    values("wgmma_A_bf16", MMA_Traits<SM90_64x128x16_F32BF16BF16_RS<
                               GMMA::Major::K, GMMA::Major::MN>>::ALayout{});
    values("wgmma_A_e4m3",
           MMA_Traits<SM90_64x128x32_F32E4M3E4M3_RS_TN<>>::ALayout{});
    values("ldmatrix_from", rows::SrcLayout{});
    values("ldmatrix_to", rows::DstLayout{});
    values("ldmatrix_trans_from", columns::SrcLayout{});
    values("ldmatrix_trans_to", columns::DstLayout{});
    BY_ROWS(q_64_64, Layout_K_SW128_Atom, bf16, 64, 64, 64, 16)
    BY_ROWS(q_64_128, Layout_K_SW128_Atom, bf16, 64, 128, 64, 16)
    BY_ROWS(q_128_64, Layout_K_SW128_Atom, bf16, 128, 64, 64, 16)
    BY_ROWS(q_128_128, Layout_K_SW128_Atom, bf16, 128, 128, 64, 16)
    BY_ROWS(q_192_64, Layout_K_SW128_Atom, bf16, 192, 64, 64, 16)
    BY_ROWS(k_128_64, Layout_K_SW128_Atom, bf16, 128, 64, 128, 16)
    BY_ROWS(k_128_128, Layout_K_SW128_Atom, bf16, 128, 128, 128, 16)
    BY_ROWS(k_64_128, Layout_K_SW128_Atom, bf16, 64, 128, 64, 16)
    BY_ROWS(q8_192_64, Layout_K_SW64_Atom, e4m3, 192, 64, 64, 32)
    BY_ROWS(q8_128_128, Layout_K_SW128_Atom, e4m3, 128, 128, 64, 32)
    BY_ROWS(k8_128_64, Layout_K_SW64_Atom, e4m3, 128, 64, 128, 32)
    BY_ROWS(k8_128_128, Layout_K_SW128_Atom, e4m3, 128, 128, 128, 32)
    BY_ROWS(v8_64_128, Layout_K_SW128_Atom, e4m3, 64, 128, 64, 32)
    BY_ROWS(v8_128_128, Layout_K_SW128_Atom, e4m3, 128, 128, 128, 32)
    TRANSPOSED(v_64_128, 64, 128)
    TRANSPOSED(v_128_128, 128, 128)
    TRANSPOSED(v_128_64, 128, 64)
}
