/*
 * tma.cpp: boxes of three dimensions, to shared memory or added to what is in
 * global memory. A load lands when nobody else can go on, the youngest first;
 * with random schedules at any time (schedule.cpp).
 */
#include <cuda.h>

#include "07_cuda/witness/copies.h"

static constexpr u64 MARK = 0x746d61706d617021; /* of a tensor map */

struct TensorMap { /* what cuTensorMapEncodeTiled makes */
    u64 mark, base;
    u64 size[3],
        stride[3]; /* columns, rows, heads; bytes from one to the next */
    u32 box[3], bytes, swizzle;
};

namespace
{
struct Box { /* to shared memory, or added to global memory */
    TensorMap map;
    u32 shared, size;
    s32 corner[3];
};

/* The box that lane l asks for; the corner's three numbers follow the map. */
Box box_of(Warp &w, const Instruction &in, int l, size_t map, size_t shared)
{
    Box b;
    const TensorMap &m = b.map;
    u32 multiple = 128;

    std::memcpy(&b.map,
                memory_at(w, in, l, GLOBAL, address(w, in.o[map], l), 64),
                sizeof b.map);
    if (m.mark != MARK)
        wrong(w, in, "that is no tensor map");
    b.shared = (u32)address(w, in.o[shared], l);
    b.size = m.box[0] * m.box[1] * m.box[2] * m.bytes;
    for (size_t e = 0; e < 3; e++)
        b.corner[e] = (s32)w.get(in.o[map + 1 + e], l);
    if (m.swizzle > 16)
        multiple = 8 * m.swizzle;
    if (b.shared % multiple)
        wrong(w, in, "a box at %u of shared memory, not a multiple of %u",
              b.shared - SHARED_BASE, multiple);
    shared_at(w, in, b.shared + b.size - 1, 1);
    for (u32 i = 0; i < b.size; i += 16)
        check_fenced(w, in, b.shared + i);
    return b;
}

/* Where its number at (x, y, z) is in global memory; null: outside. */
u8 *element(Warp &w, const Instruction &in, const Box &b, u32 x, u32 y, u32 z)
{
    const TensorMap &m = b.map;
    u64 at[3] = {x, y, z}, address = m.base;

    for (int e = 0; e < 3; e++) {
        at[e] += (u64)(s64)b.corner[e];
        if (at[e] >= m.size[e]) /* or below 0 */
            return nullptr;
        address += at[e] * m.stride[e];
    }
    return memory_at(w, in, 0, GLOBAL, address, (int)m.bytes);
}

/* each(here, there): a number of shared memory, and one of global memory. Bits 4
 * to 6 of an address here change with the row of 128 bytes that it is in. */
template <class F> void all_of(Warp &w, const Instruction &in, Box b, F each)
{
    const TensorMap &m = b.map;
    u32 at = b.shared;

    for (u32 z = 0; z < m.box[2]; z++)
        for (u32 y = 0; y < m.box[1]; y++)
            for (u32 x = 0; x < m.box[0]; x++, at += m.bytes) {
                u32 changed = at ^ (at >> 7 & (m.swizzle / 16 - 1) & 7) << 4;
                each(shared_at(w, in, changed, (int)m.bytes),
                     element(w, in, b, x, y, z));
            }
}

/* [to], [map, {x, y, z}], [mbarrier] */
void load(Warp &w, const Instruction &in, int l)
{
    Box b = box_of(w, in, l, 1, 0);
    u64 barrier = address(w, in.o[5], l);

    if (mbarrier_at(w, in, barrier).is_new)
        wrong(w, in, "no fence (fence.mbarrier_init) showed TMA the mbarrier");
    std::memset(shared_at(w, in, b.shared, 1), POISON, b.size);
    auto landed = [=, &w, &in] {
        all_of(w, in, b, [&](u8 *here, const u8 *there) {
            if (there)
                std::memcpy(here, there, b.map.bytes);
            else
                std::memset(here, 0, b.map.bytes);
        });
        Mbarrier &bar = mbarrier_at(w, in, barrier);
        bar.bytes -= b.size;
        came(w, bar);
    };
    w.block->boxes.push_back({&in, &w, landed});
    w.block->progress++;
}

/* [map, {x, y, z}], [from] */
void add(Warp &w, const Instruction &in, int l)
{
    Box b = box_of(w, in, l, 0, 4);
    auto added = [=, &w, &in] {
        all_of(w, in, b, [](const u8 *here, u8 *there) {
            if (there)
                changed<float>(there,
                               [&](float x) { return x + *(float *)here; });
        });
    };

    w.boxes[l].add({&in, &w, added});
}

} // namespace

/* --- The host's side: the driver's rules for a map --------------------------- */

static CUresult encode(CUtensorMap *out, CUtensorMapDataType type,
                       cuuint32_t rank, void *base, const cuuint64_t *size,
                       const cuuint64_t *stride, const cuuint32_t *box,
                       const cuuint32_t *step, CUtensorMapInterleave interleave,
                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                       CUtensorMapFloatOOBfill)
{
    if (rank != 3)
        return CUDA_ERROR_NOT_SUPPORTED;
    u32 bytes = type == CU_TENSOR_MAP_DATA_TYPE_UINT8      ? 1
                : type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 ? 2
                : type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16  ? 2
                : type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32  ? 4
                                                           : 0;
    TensorMap m = {MARK, (u64)base, {}, {bytes}, {}, bytes, 16u << swizzle};
    u32 row = box[0] * bytes;
    bool good = bytes && !interleave && m.base % 16 == 0 &&
                (u64)out % 64 == 0 && swizzle <= CU_TENSOR_MAP_SWIZZLE_128B &&
                row % 16 == 0 && (!swizzle || row <= m.swizzle) &&
                stride[0] >= size[0] * bytes;

    for (int e = 0; e < 3; e++) {
        m.size[e] = size[e], m.box[e] = box[e];
        if (e > 0)
            m.stride[e] = stride[e - 1];
        good &= size[e] && size[e] <= 1ull << 32 && box[e] && box[e] <= 256 &&
                step[e] == 1 && (!e || m.stride[e] % 16 == 0) &&
                m.stride[e] < 1ull << 40;
    }
    if (!good)
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
    auto put = [&](std::string name, Run run) {
        t[name] = {run, PLAIN, false};
    };

    put("cp.async.bulk.tensor.3d.shared::cluster", by_lane<load>);
    put("cp.reduce.async.bulk.tensor.3d.add", by_lane<add>);
    put("cp.async.bulk.commit_group", by_lane<close_group<&Warp::boxes>>);
    put("cp.async.bulk.wait_group", by_lane<wait_group<&Warp::boxes>>);
}
