/* ptx_hopper_gpu.h: ptx_hopper.h's functions for sm_90a, and tensor maps. */
#pragma once
#if 100 * __CUDACC_VER_MAJOR__ + __CUDACC_VER_MINOR__ < 1206
#error "the Hopper rungs need CUDA 12.6: an earlier ptxas serialises wgmma"
#endif
#include <cuda.h> /* CUtensorMap; tensor_map_encoder finds its encoder */

/* With -DSHAKE (shake.cuh), sleeps up to 2 microseconds in about one of four
 * calls. Lanes of a warp that call shake() together sleep for the same time. */
PTX void shake()
{
#ifdef SHAKE
    unsigned h = (unsigned)clock() * 2654435761u ^ threadIdx.x / 32 * 40503u;

    h ^= h >> 15;
    __nanosleep(h % 4 ? 0 : h >> 8 & 1023);
#endif
}

/* Initialises an mbarrier. A phase is complete after `count` arrivals, when TMA
 * has stored all announced bytes. */
PTX void mbarrier_init(mbarrier *b, unsigned count)
{
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)),
        "r"(count)
        : "memory");
}

/* Makes this thread's new mbarriers visible to TMA. After __syncthreads they
 * are visible to the other threads, too. */
PTX void fence_mbarrier_init()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

PTX void mbarrier_arrive(mbarrier *b)
{
    shake();
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(
                     shared_address(b))
                 : "memory");
}

/* Announces the bytes that TMA will store in this phase, and arrives. */
PTX void mbarrier_arrive_and_expect(mbarrier *b, unsigned bytes)
{
    shake();
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     shared_address(b)),
                 "r"(bytes)
                 : "memory");
}

/* Waits until the phase of this parity is complete. Phases 0, 2, .. have parity
 * 0. During phase 0, parity 1 counts as complete. */
PTX void mbarrier_wait(mbarrier *b, unsigned parity)
{
    unsigned over;

    shake();
    do {
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 "
                     "p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n"
                     "}"
                     : "=r"(over)
                     : "r"(shared_address(b)), "r"(parity)
                     : "memory");
    } while (!over);
}

/* Stores cuTensorMapEncodeTiled in *encode. Loads it from the driver once. */
static inline int tensor_map_encoder(decltype(&cuTensorMapEncodeTiled) *encode)
{
    static void *found = nullptr;
    cudaDriverEntryPointQueryResult how = cudaDriverEntryPointSuccess;
    int error = found ? 0
                      : (int)cudaGetDriverEntryPointByVersion(
                            "cuTensorMapEncodeTiled", &found, 12000,
                            cudaEnableDefault, &how);

    if (!error && how != cudaDriverEntryPointSuccess)
        error = cudaErrorNotSupported;
    *encode = (decltype(&cuTensorMapEncodeTiled))found;
    return error;
}

/* Makes a tensor map (tensor_map_bf16 explains the arguments). element: bytes
 * per element. The swizzle is 128 or 64 bytes, as wide as a box. */
static inline int tensor_map(CUtensorMap *map, CUtensorMapDataType type,
                             cuuint64_t element, const void *base, int columns,
                             int rows, int seen, int matrices, int box_columns,
                             int box_rows)
{
    const cuuint64_t size[3] = {(cuuint64_t)columns, (cuuint64_t)seen,
                                (cuuint64_t)matrices};
    const cuuint64_t stride[2] = {size[0] * element,
                                  size[0] * (cuuint64_t)rows * element};
    const cuuint32_t box[3] = {(cuuint32_t)box_columns, (cuuint32_t)box_rows,
                               1};
    const cuuint32_t every[3] = {1, 1, 1};
    decltype(&cuTensorMapEncodeTiled) encode;
    int error = tensor_map_encoder(&encode);

    if (error)
        return error;
    return encode(map, type, 3, (void *)base, size, stride, box, every,
                  CU_TENSOR_MAP_INTERLEAVE_NONE,
                  box_columns * (int)element == 128 ? CU_TENSOR_MAP_SWIZZLE_128B
                                                    : CU_TENSOR_MAP_SWIZZLE_64B,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
               ? cudaErrorInvalidValue
               : cudaSuccess;
}

/* Makes a tensor map of contiguous bf16 matrices of rows x columns, for loads
 * in boxes of 64 columns and box_rows rows, with the 128-byte swizzle. TMA
 * reads only the first `seen` rows of a matrix; the others are outside. base
 * must be a multiple of 16 bytes. A kernel takes the map by value, as a
 * __grid_constant__. Returns 0 or a cudaError_t. */
static inline int tensor_map_bf16(CUtensorMap *map, const void *base,
                                  int columns, int rows, int seen, int matrices,
                                  int box_rows)
{
    return tensor_map(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, base, columns,
                      rows, seen, matrices, 64, box_rows);
}

/* Like tensor_map_bf16, for e4m3. A box has 128 columns, or 64 columns and the
 * 64-byte swizzle. */
static inline int tensor_map_e4m3(CUtensorMap *map, const void *base,
                                  int columns, int rows, int seen, int matrices,
                                  int box_columns, int box_rows)
{
    return tensor_map(map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, base, columns,
                      rows, seen, matrices, box_columns, box_rows);
}

/* Like tensor_map_bf16, for floats. A box has 32 columns. No row is outside. */
static inline int tensor_map_f32(CUtensorMap *map, const float *base,
                                 int columns, int rows, int matrices,
                                 int box_rows)
{
    return tensor_map(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, base, columns,
                      rows, rows, matrices, 32, box_rows);
}

/* Starts the copy of a box to shared memory. Each copied byte reduces the
 * number that mbarrier b expects. `to` must be aligned to 1024 bytes. Elements
 * outside the matrices become 0, and b counts their bytes, too. One thread
 * calls it. */
PTX void tma_load(void *to, const CUtensorMap *map, mbarrier *b, int column,
                  int row, int matrix)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(shared_address(to)),
                 "l"((unsigned long long)map), "r"(shared_address(b)),
                 "r"(column), "r"(row), "r"(matrix)
                 : "memory");
}

/* Starts atomic additions of a box in shared memory, in the layout of tma_load,
 * to the map's matrix of floats. Elements outside the matrix are skipped. One
 * thread calls tma_add, then bulk_commit, then bulk_wait_read or bulk_wait. */
PTX void tma_add(const CUtensorMap *map, const void *from, int column, int row,
                 int matrix)
{
    asm volatile(
        "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile"
        ".bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"((unsigned long long)map),
        "r"(shared_address(from)), "r"(column), "r"(row), "r"(matrix)
        : "memory");
}
PTX void bulk_commit()
{
    shake();
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Wait for this thread's groups of additions, except at most may_remain of
 * them. bulk_wait_read waits until TMA has read the boxes from shared memory,
 * bulk_wait until it has also added them. */
template <int may_remain> PTX void bulk_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(may_remain)
                 : "memory");
}
template <int may_remain> PTX void bulk_wait()
{
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(may_remain) : "memory");
}

/* Named barrier `id` (1 to 15) is complete when `threads` threads have called
 * bar_sync, which waits, or bar_arrive, which does not. */
PTX void bar_sync(int id, int threads)
{
    shake();
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
PTX void bar_arrive(int id, int threads)
{
    shake();
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* Set the number of registers of each thread of this warp to N, a multiple of 8
 * from 24 to 256. more_registers waits until enough registers are free.
 * fewer_registers frees the registers above N. */
template <int N> PTX void more_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}
template <int N> PTX void fewer_registers()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}

/* After this fence and a barrier, wgmma and TMA can read this thread's earlier
 * stores to shared memory. */
PTX void fence_proxy_async()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Must be called before the first wgmma, and before a wgmma whose registers (a
 * or d) this thread has accessed since the last wgmma. */
PTX void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/* Makes a group of the wgmmas since the last commit. */
PTX void wgmma_commit()
{
    shake();
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* The operands d[8i] to d[8i + 7]. "+f" means that the instruction reads and
 * writes these registers. */
#define D8(i)                                                                  \
    "+f"(d[8 * i]), "+f"(d[8 * i + 1]), "+f"(d[8 * i + 2]),                    \
        "+f"(d[8 * i + 3]), "+f"(d[8 * i + 4]), "+f"(d[8 * i + 5]),            \
        "+f"(d[8 * i + 6]), "+f"(d[8 * i + 7])
#define D64  D8(0), D8(1), D8(2), D8(3)
#define D128 D64, D8(4), D8(5), D8(6), D8(7)
#define D176 D128, D8(8), D8(9), D8(10)
#define R64                                                                    \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"                  \
    "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define R128                                                                   \
    R64 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"    \
        "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define R176                                                                   \
    R128 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,"   \
         "%80,%81,%82,%83,%84,%85,%86,%87"

/* Converts four floats to e4m3, rounded to nearest even. x becomes the lowest
 * byte. Absolute values above 448 become 448. NaN stays NaN. */
PTX unsigned pack_e4m3x4(float x, float y, float z, float w)
{
    unsigned r;
    asm("{\n"
        ".reg .b16 low, high;\n"
        "cvt.rn.satfinite.e4m3x2.f32 low, %2, %1;\n"
        "cvt.rn.satfinite.e4m3x2.f32 high, %4, %3;\n"
        "mov.b32 %0, {low, high};\n"
        "}"
        : "=r"(r)
        : "f"(x), "f"(y), "f"(z), "f"(w));
    return r;
}

/* Functions for each N, the columns of d. A thread has N / 2 elements of d. A
 * product is added to d if `add`, else stored in d. b is in shared memory.
 *
 * wgmma_wait<G>(d): waits until at most G groups are incomplete. Then d can be
 *     read, if its group is complete.
 * wgmma(d, a, b, add): a b^T. a is 64 x 16 in shared memory, b is N x 16.
 * wgmma_transposed(d, a, b, add): a b. a is 64 x 16 in registers, 16 rows per
 *     warp as in mma_m16n8k16. b is 16 x N.
 * wgmma_transposed(d, a, b, add): a^T b. a is 16 x 64 in shared memory, b is
 *     16 x N. wgmma reads both by columns.
 * wgmma_e4m3(d, a, b, add): a b^T of e4m3. a is 64 x 32 in shared memory, or
 *     in registers, 16 rows per warp as in mma.m16n8k32. b is N x 32.
 *
 * p0, p1, .. are the numbers of the asm operands after those of d. */
#define PTX_SHARED(name, N, types, how, p0, p1, p2)                            \
    PTX void name(float(&d)[N / 2], unsigned long long a,                      \
                  unsigned long long b, bool add)                              \
    {                                                                          \
        asm volatile("{\n"                                                     \
                     ".reg .pred p;\n"                                         \
                     "setp.ne.b32 p, %" #p2 ", 0;\n"                           \
                     "wgmma.mma_async.sync.aligned.m64n" #N types R##N         \
                     "}, %" #p0 ", %" #p1 ", p, 1, 1" how ";\n"                \
                     "}"                                                       \
                     : D##N                                                    \
                     : "l"(a), "l"(b), "r"((int)add));                         \
    }
#define PTX_REGISTERS(name, N, types, how, p0, p1, p2, p3, p4, p5)             \
    PTX void name(float(&d)[N / 2], const unsigned(&a)[4],                     \
                  unsigned long long b, bool add)                              \
    {                                                                          \
        asm volatile("{\n"                                                     \
                     ".reg .pred p;\n"                                         \
                     "setp.ne.b32 p, %" #p5 ", 0;\n"                           \
                     "wgmma.mma_async.sync.aligned.m64n" #N types R##N         \
                     "}, {%" #p0 ",%" #p1 ",%" #p2 ",%" #p3 "}, %" #p4         \
                     ", p, 1, 1" how ";\n"                                     \
                     "}"                                                       \
                     : D##N                                                    \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b),     \
                       "r"((int)add));                                         \
    }
#define BF16_TYPES "k16.f32.bf16.bf16 "
#define E4M3_TYPES "k32.f32.e4m3.e4m3 "
#define PTX_WGMMA(N, p0, p1, p2, p3, p4, p5)                                   \
    template <int may_remain> PTX void wgmma_wait(float(&d)[N / 2])            \
    {                                                                          \
        asm volatile("wgmma.wait_group.sync.aligned %" #p0 ";"                 \
                     : D##N                                                    \
                     : "n"(may_remain)                                         \
                     : "memory");                                              \
    }                                                                          \
    PTX_SHARED(wgmma, N, BF16_TYPES, ", 0, 0", p0, p1, p2)                     \
    PTX_SHARED(wgmma_transposed, N, BF16_TYPES, ", 1, 1", p0, p1, p2)          \
    PTX_SHARED(wgmma_e4m3, N, E4M3_TYPES, "", p0, p1, p2)                      \
    PTX_REGISTERS(wgmma_transposed, N, BF16_TYPES, ", 1", p0, p1, p2, p3, p4,  \
                  p5)                                                          \
    PTX_REGISTERS(wgmma_e4m3, N, E4M3_TYPES, "", p0, p1, p2, p3, p4, p5)
PTX_WGMMA(64, 32, 33, 34, 35, 36, 37)
PTX_WGMMA(128, 64, 65, 66, 67, 68, 69)
PTX_WGMMA(176, 88, 89, 90, 91, 92, 93)

#undef D8
#undef D64
#undef D128
#undef D176
#undef R64
#undef R128
#undef R176
#undef BF16_TYPES
#undef E4M3_TYPES
#undef PTX_SHARED
#undef PTX_REGISTERS
#undef PTX_WGMMA
