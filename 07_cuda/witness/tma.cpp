/*
 * tma.cpp: boxes of three dimensions, to shared memory or added to what is in
 * global memory. A load lands when nobody else can go on, the youngest first;
 * with random schedules at any time (schedule.cpp).
 */
#include "07_cuda/witness/mbarrier.h"
#include "07_cuda/witness/opcode.h"
#include "07_cuda/witness/tensor_map.h"

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

void check_fenced(Warp &w, const Instruction &in, u32 at, u32 bytes)
{
    for (u32 i = 0; i < bytes; i += 16)
        if (u8 by = w.block->unfenced[(at - SHARED_BASE + i) / 16])
            wrong(w, in,
                  "%u of shared memory: what warp %d stored there was "
                  "not fenced (fence.proxy.async)",
                  at - SHARED_BASE + i, by - 1);
}

/* The box that lane l asks for. */
Box box_of(Warp &w, const Instruction &in, int l, bool adds, const Operand &map,
           const Operand *corner, const Operand &shared)
{
    Box b = {};
    u64 at = w.number(map, l) + (u64)map.value;

    if (at % 64)
        wrong(w, in, "a tensor map at %llx, not a multiple of 64",
              (unsigned long long)at);
    std::memcpy(&b.map, global_at(w, in, at, 64), sizeof b.map);
    if (b.map.mark != TENSOR_MAP)
        wrong(w, in, "that is no tensor map");
    b.adds = adds, b.by = &w, b.in = &in;
    b.shared = (u32)(w.number(shared, l) + (u64)shared.value);
    for (int e = 0; e < 3; e++)
        b.corner[e] = (s32)w.number(corner[e], l);
    u32 multiple = b.map.swizzle > 16 ? 8 * b.map.swizzle : 128;
    if (b.shared % multiple)
        wrong(w, in, "a box at %u of shared memory, not a multiple of %u",
              b.shared - SHARED_BASE, multiple);
    shared_at(w, in, b.shared + bytes_in(b.map) - 1, 1);
    check_fenced(w, in, b.shared, bytes_in(b.map));
    return b;
}

/* [to], [map, {x, y, z}], [mbarrier] */
void load_box(Warp &w, const Instruction &in, lanes who)
{
    EACH (l, who) {
        Box b = box_of(w, in, l, false, in.o[1], &in.o[2], in.o[0]);
        const Operand &bar = in.o[5];
        b.barrier = (u32)(w.number(bar, l) + (u64)bar.value);
        if (read_mbarrier(w, in, b.barrier).is_new)
            wrong(w, in,
                  "no fence (fence.mbarrier_init) showed this mbarrier "
                  "to TMA");
        std::memset(shared_at(w, in, b.shared, 1), POISON, bytes_in(b.map));
        w.block->boxes.push_back(b);
        w.block->progress++;
    }
}

/* [map, {x, y, z}], [from] */
void add_box(Warp &w, const Instruction &in, lanes who)
{
    EACH (l, who)
        w.boxes[l].add(box_of(w, in, l, true, in.o[0], &in.o[1], in.o[4]));
}

void commit_boxes(Warp &w, const Instruction &, lanes who)
{
    EACH (l, who)
        w.boxes[l].commit();
}

void wait_for_boxes(Warp &w, const Instruction &in, lanes who)
{
    EACH (l, who)
        w.boxes[l].wait(in.o[0].value, land);
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
                u8 *global = global_at(w, *b.in, there, (int)m.bytes);
                if (b.adds)
                    add_to_float(global, *(float *)here);
                else
                    std::memcpy(here, global, m.bytes);
            }
    if (b.adds)
        return;
    Mbarrier bar = read_mbarrier(w, *b.in, b.barrier);
    bar.bytes -= n;
    write_mbarrier(w, *b.in, b.barrier, bar);
}

Opcode tma_opcode(const Words &name)
{
    if (has(name, "commit_group"))
        return {commit_boxes, {}, PLAIN, 0};
    if (has(name, "wait_group"))
        return {wait_for_boxes, {}, PLAIN, 0};
    if (!has(name, "tensor") || !has(name, "3d"))
        return {nullptr, {}};
    return {has(name, "reduce") ? add_box : load_box, {}, PLAIN, 0};
}
