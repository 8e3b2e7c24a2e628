/*
 * tma.cpp: boxes of three dimensions, to shared memory or added to what is in
 * global memory. A load lands when nobody else can go on, the youngest first;
 * with random schedules at any time (schedule.cpp).
 */
#include <cuda.h>

#include <atomic>

#include "07_cuda/witness/copies.h"

static constexpr u64 MARK = 0x746d61706d617021; /* of a tensor map */

namespace
{
u32 bytes_in(const TensorMap &m)
{
    return m.box[0] * m.box[1] * m.box[2] * m.bytes;
}

/* Bits 4 to 6 of an address change with the row of 128 bytes it is in. */
u32 swizzled(const TensorMap &m, u32 address)
{
    return address ^ (address >> 7 & (m.swizzle / 16 - 1) & 7) << 4;
}

/* Where the box's number at (x, y, z) is in global memory; 0: outside. */
u64 element(const Box &b, u32 x, u32 y, u32 z)
{
    const TensorMap &m = b.map;
    s64 at[3] = {b.corner[0] + (s64)x, b.corner[1] + (s64)y,
                 b.corner[2] + (s64)z};

    for (int e = 0; e < 3; e++)
        if (at[e] < 0 || at[e] >= (s64)m.size[e])
            return 0;
    return m.base + (u64)at[0] * m.bytes + (u64)at[1] * m.stride[0] +
           (u64)at[2] * m.stride[1];
}

/* The box that lane l asks for. */
Box box_of(Warp &w, const Instruction &in, int l, const Operand &map,
           const Operand *corner, const Operand &shared)
{
    Box b = {};
    u64 at = address(w, map, l);

    std::memcpy(&b.map, memory_at(w, in, l, GLOBAL, at, 64), sizeof b.map);
    if (b.map.mark != MARK)
        wrong(w, in, "that is no tensor map");
    b.by = &w, b.in = &in;
    b.shared = (u32)address(w, shared, l);
    for (int e = 0; e < 3; e++)
        b.corner[e] = (s32)w.number(corner[e], l);
    u32 multiple = b.map.swizzle > 16 ? 8 * b.map.swizzle : 128;
    if (b.shared % multiple)
        wrong(w, in, "a box at %u of shared memory, not a multiple of %u",
              b.shared - SHARED_BASE, multiple);
    shared_at(w, in, b.shared + bytes_in(b.map) - 1, 1);
    for (u32 i = 0; i < bytes_in(b.map); i += 16)
        check_fenced(w, in, b.shared + i);
    return b;
}

/* [to], [map, {x, y, z}], [mbarrier] */
void load(Warp &w, const Instruction &in, int l)
{
    Box b = box_of(w, in, l, in.o[1], &in.o[2], in.o[0]);

    b.barrier = (u32)address(w, in.o[5], l);
    if (read_mbarrier(w, in, b.barrier).is_new)
        wrong(w, in, "no fence (fence.mbarrier_init) showed TMA the mbarrier");
    std::memset(shared_at(w, in, b.shared, 1), POISON, bytes_in(b.map));
    w.block->boxes.push_back(b);
    w.block->progress++;
}

/* [map, {x, y, z}], [from] */
void add(Warp &w, const Instruction &in, int l)
{
    Box b = box_of(w, in, l, in.o[0], &in.o[1], in.o[4]);

    b.adds = true;
    w.boxes[l].add(b);
}

void commit(Warp &w, const Instruction &, int l)
{
    w.boxes[l].commit();
}
void wait(Warp &w, const Instruction &in, int l)
{
    w.boxes[l].wait(in.o[0].value, land);
}

void add_to(u8 *global, float x)
{
    auto *there = (std::atomic<float> *)global;
    float old = there->load();

    while (!there->compare_exchange_weak(old, old + x))
        continue;
}
} // namespace

void land(const Box &b)
{
    Warp &w = *b.by;
    const TensorMap &m = b.map;
    u32 n = 0;

    for (u32 z = 0; z < m.box[2]; z++)
        for (u32 y = 0; y < m.box[1]; y++)
            for (u32 x = 0; x < m.box[0]; x++, n += m.bytes) {
                u8 *here = shared_at(w, *b.in, swizzled(m, b.shared + n),
                                     (int)m.bytes);
                u64 there = element(b, x, y, z);
                if (!there && !b.adds)
                    std::memset(here, 0, m.bytes);
                if (!there)
                    continue;
                u8 *global =
                    memory_at(w, *b.in, 0, GLOBAL, there, (int)m.bytes);
                if (b.adds)
                    add_to(global, *(float *)here);
                else
                    std::memcpy(here, global, m.bytes);
            }
    if (b.adds)
        return;
    Mbarrier bar = read_mbarrier(w, *b.in, b.barrier);
    bar.bytes -= n;
    write_mbarrier(w, *b.in, b.barrier, bar);
}

/* --- The host's side: the driver's rules for a map --------------------------- */

static u32 bytes_of(CUtensorMapDataType type)
{
    return type == CU_TENSOR_MAP_DATA_TYPE_UINT8      ? 1
           : type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 ? 2
           : type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16  ? 2
           : type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32  ? 4
                                                      : 0;
}

static CUresult encode(CUtensorMap *out, CUtensorMapDataType type,
                       cuuint32_t rank, void *base, const cuuint64_t *size,
                       const cuuint64_t *stride, const cuuint32_t *box,
                       const cuuint32_t *step, CUtensorMapInterleave interleave,
                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                       CUtensorMapFloatOOBfill)
{
    TensorMap m = {MARK, (u64)base, {}, {}, {}, bytes_of(type), 16};
    bool bad = rank != 3 || interleave || (u64)base % 16 || (u64)out % 64;

    m.swizzle = swizzle == CU_TENSOR_MAP_SWIZZLE_128B  ? 128
                : swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 64
                : swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? 32
                                                       : 16;
    for (int e = 0; e < 3 && !bad; e++) {
        bad = !size[e] || size[e] > 1ull << 32 || !box[e] || box[e] > 256 ||
              step[e] != 1;
        m.size[e] = size[e], m.box[e] = box[e];
    }
    for (int e = 0; e < 2 && !bad; e++) {
        bad = stride[e] % 16 || stride[e] >= 1ull << 40;
        m.stride[e] = stride[e];
    }
    u32 row = m.box[0] * m.bytes;
    if (bad || !m.bytes || row % 16 || (m.swizzle > 16 && row > m.swizzle) ||
        m.stride[0] < m.size[0] * m.bytes)
        return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(out, &m, sizeof m);
    return CUDA_SUCCESS;
}

void *driver_function(const char *name)
{
    return std::strcmp(name, "cuTensorMapEncodeTiled") ? nullptr
                                                       : (void *)encode;
}

void add_tma(Table &t)
{
    t["cp.async.bulk.tensor.3d.shared::cluster.global"] = {
        by_lane<load>, {}, PLAIN, 0};
    t["cp.reduce.async.bulk.tensor.3d.global.shared::cta.add"] = {
        by_lane<add>, {}, PLAIN, 0};
    t["cp.async.bulk.commit_group"] = {by_lane<commit>, {}, PLAIN, 0};
    t["cp.async.bulk.wait_group"] = {by_lane<wait>, {}, PLAIN, 0};
}
