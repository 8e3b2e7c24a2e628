/* copies.cpp: asynchronous copies, and mbarriers. A cp.async is executed when
 * its thread waits for it. Until then its destination contains NaNs. TMA copies
 * three-dimensional boxes to shared memory, or adds them to global memory. A
 * load by TMA is executed when no warp can continue, the latest load first.
 * With PTX_MODE=random it is executed at any time (schedule.cpp). */
#include <cuda.h>
#include <cuda_runtime_api.h>

#include "tools/emulator/ptx_interpreter/opcode.h"

namespace
{
/* cp.async [to], [from], 16, n sets the bytes after the first n to 0. */
void copy(Warp &w, const Instruction &in, int l)
{
    u64 to = address(w, in.o[0], l), from = address(w, in.o[1], l);
    s64 size = (s64)w.get(in.o[2], l);
    s64 bytes = in.o.size() > 3 ? (s32)w.get(in.o[3], l) : size;
    u8 *destination = memory_at(w, in, (u32)to, (int)size);

    if (bytes < 0 || bytes > size || from % (u64)size)
        wrong(w, in,
              "lane %d: cp.async of %d bytes from 0x%lx; 0 to %d bytes are "
              "allowed, from a multiple of %d",
              l, (int)bytes, from, (int)size, (int)size);
    std::memset(destination, POISON, (size_t)size);
    auto execute = [=, &w, &in] {
        std::memset(destination, 0, (size_t)size);
        for (s64 e = 0, n; e < bytes; e += n) {
            n = bytes - e < 4 ? 1 : 4;
            std::memcpy(destination + e,
                        memory_at(w, in, from + (u64)e, (int)n), (size_t)n);
        }
        stored(w, destination, (size_t)size);
    };
    w.copies[l].add({&in, &w, execute});
}

/* --- mbarriers ------------------------------------------------------------ */

struct Mbarrier {      /* an mbarrier has 8 bytes of shared memory */
    u64 expected : 20; /* arrivals in a phase */
    u64 pending : 20;  /* arrivals that this phase still needs */
    s64 bytes : 22;    /* bytes that TMA must still copy */
    u64 phase : 1;
};

Mbarrier &mbarrier_at(Warp &w, const Instruction &in, u64 at)
{
    Mbarrier &b = *(Mbarrier *)memory_at(w, in, (u32)at, 8);

    if (!b.expected || b.expected == 0xfffff)
        wrong(w, in, "no initialised mbarrier at byte %d of shared memory",
              (int)(at - SHARED_BASE));
    return b;
}

/* Begins a new phase if no arrival and no byte is missing. */
void complete_phase(Warp &w, Mbarrier &b)
{
    if (b.pending == 0 && b.bytes == 0) {
        b.phase ^= 1;
        b.pending = b.expected;
    }
    w.block->progress++;
}

/* mbarrier.init [a], n */
void init(Warp &w, const Instruction &in, int l)
{
    u32 n = (u32)w.get(in.o[1], l);
    u8 *at = memory_at(w, in, (u32)address(w, in.o[0], l), 8);

    if (n == 0 || n >= 0xfffff)
        wrong(w, in,
              "an mbarrier cannot expect %u arrivals; 1 to %u are allowed", n,
              0xffffe);
    *(Mbarrier *)at = {n, n, 0, 0};
    stored(w, at, 8);
}

/* mbarrier.arrive state, [a], n counts n arrivals. With .expect_tx it counts
 * one arrival and expects n more bytes. state becomes the current phase. */
template <bool expects> void arrive(Warp &w, const Instruction &in, int l)
{
    Mbarrier &b = mbarrier_at(w, in, address(w, in.o[1], l));
    u32 given = in.o.size() > 2 ? (u32)w.get(in.o[2], l) : 1;
    u32 n = expects ? 1 : given;

    w.set(in.o[0], l, b.phase);
    b.bytes += expects ? (s32)given : 0;
    if (b.pending < n)
        wrong(w, in, "too many arrivals in a phase; the mbarrier expects %u",
              (u32)b.expected);
    b.pending -= n;
    complete_phase(w, b);
}

/* mbarrier.try_wait p, [a], x: p is true if phase x (state, parity) is over. */
void try_wait(Warp &w, const Instruction &in, int l)
{
    const Mbarrier &b = mbarrier_at(w, in, address(w, in.o[1], l));
    bool over = b.phase != (w.get(in.o[2], l) & 1);

    w.set(in.o[0], l, over);
    w.spins |= !over;
    w.block->progress += over;
}

/* Makes this warp's stores visible to TMA and wgmma. */
void fence(Warp &w, const Instruction &, lanes)
{
    for (u8 &by : w.block->unfenced)
        if (by == 1 + w.index)
            by = 0;
}

/* --- TMA ------------------------------------------------------------------ */

constexpr u64 MARK = 0x746d61706d617021;

struct TensorMap { /* the result of cuTensorMapEncodeTiled */
    u64 mark, base;
    u64 size[3];   /* number of columns, rows, heads */
    u64 stride[3]; /* distance between two of them in bytes */
    u32 box[3], bytes, swizzle;
};

struct Box {
    TensorMap map;
    u32 shared, size;
    s32 corner[3];
};

/* map and shared are indices of operands. The box's corner follows the map. */
Box box_of(Warp &w, const Instruction &in, int l, size_t map, size_t shared)
{
    Box b;
    const TensorMap &m = b.map;

    std::memcpy(&b.map, memory_at(w, in, address(w, in.o[map], l), 64),
                sizeof b.map);
    if (m.mark != MARK)
        wrong(w, in, "not a tensor map");
    b.shared = (u32)address(w, in.o[shared], l);
    b.size = m.box[0] * m.box[1] * m.box[2] * m.bytes;
    for (size_t e = 0; e < 3; e++)
        b.corner[e] = (s32)w.get(in.o[map + 1 + e], l);
    if (b.shared % (8 * m.swizzle))
        wrong(w, in,
              "a box at byte %u of shared memory; a multiple of %u is allowed",
              b.shared - SHARED_BASE, 8 * m.swizzle);
    memory_at(w, in, b.shared + b.size - 1, 1);
    check_fenced(w, in, b.shared, b.size);
    return b;
}

/* Calls each(here, there) for every element of the box, with its addresses in
 * shared and in global memory. `there` is null outside the tensor. A swizzle of
 * 16 * 2^n bytes XORs n bits of the shared address, from bit 4 on, with the n
 * bits from bit 7 on. */
template <class F>
void all_of(Warp &w, const Instruction &in, const Box &b, F each)
{
    const TensorMap &m = b.map;
    u32 count = b.size / m.bytes;

    for (u32 n = 0; n < count; n++) {
        u32 at = b.shared + n * m.bytes, left = n;
        u64 address = m.base;
        bool inside = true;
        for (int e = 0; e < 3; e++) {
            u64 x = left % m.box[e] + (u64)(s64)b.corner[e];
            left /= m.box[e];
            inside &= x < m.size[e]; /* also false for negative x */
            address += x * m.stride[e];
        }
        at ^= (at >> 7 & (m.swizzle / 16 - 1)) << 4;
        each(memory_at(w, in, at, (int)m.bytes),
             inside ? memory_at(w, in, address, (int)m.bytes) : nullptr);
    }
}

/* cp.async.bulk.tensor [to], [map, {x, y, z}], [mbarrier] */
void load(Warp &w, const Instruction &in, int l)
{
    Box b = box_of(w, in, l, 1, 0);
    u64 barrier = address(w, in.o[5], l);

    mbarrier_at(w, in, barrier);
    check_fenced(w, in, (u32)barrier, 8);
    std::memset(memory_at(w, in, b.shared, 1), POISON, b.size);
    auto execute = [=, &w, &in] {
        all_of(w, in, b, [&](u8 *here, const u8 *there) {
            std::memset(here, 0, b.map.bytes);
            if (there)
                std::memcpy(here, there, b.map.bytes);
        });
        Mbarrier &bar = mbarrier_at(w, in, barrier);
        bar.bytes -= b.size;
        complete_phase(w, bar);
    };
    w.block->boxes.push_back({&in, &w, execute});
    w.block->progress++;
}

/* cp.reduce.async.bulk.tensor [map, {x, y, z}], [from] */
void add(Warp &w, const Instruction &in, int l)
{
    Box b = box_of(w, in, l, 0, 4);
    auto execute = [=, &w, &in] {
        all_of(w, in, b, [](const u8 *here, u8 *there) {
            if (there)
                *(float *)there += *(const float *)here;
        });
    };

    w.boxes[l].add({&in, &w, execute});
}
} // namespace

/* --- cuTensorMapEncodeTiled, with the driver's rules ---------------------- */

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

extern "C" cudaError_t
cudaGetDriverEntryPointByVersion(const char *name, void **found, unsigned,
                                 unsigned long long,
                                 cudaDriverEntryPointQueryResult *status)
{
    bool known = std::strcmp(name, "cuTensorMapEncodeTiled") == 0;

    *found = known ? (void *)encode : nullptr;
    if (status)
        *status = known ? cudaDriverEntryPointSuccess
                        : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

void add_copies(Table &t)
{
    auto put = [&](std::string name, Run run) {
        t[name] = {run, PLAIN, false};
    };

    put("cp.async.ca", by_lane<copy>);
    put("cp.async.cg", by_lane<copy>);
    put("cp.async.commit_group", by_lane<close_group<&Warp::copies>>);
    put("cp.async.wait_group", by_lane<wait_group<&Warp::copies>>);
    put("mbarrier.init", by_lane<init>);
    put("fence.mbarrier_init", fence);
    put("fence.proxy.async", fence);
    t["mbarrier.arrive"] = {by_lane<arrive<false>>};
    t["mbarrier.arrive.expect_tx"] = {by_lane<arrive<true>>};
    t["mbarrier.try_wait"] = t["mbarrier.test_wait"] = {by_lane<try_wait>};
    put("cp.async.bulk.tensor.3d.shared::cluster", by_lane<load>);
    put("cp.reduce.async.bulk.tensor.3d.add", by_lane<add>);
    put("cp.async.bulk.commit_group", by_lane<close_group<&Warp::boxes>>);
    put("cp.async.bulk.wait_group", by_lane<wait_group<&Warp::boxes>>);
}
