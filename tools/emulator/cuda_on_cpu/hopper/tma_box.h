/* tma_box.h: a box of a tensor, for TMA's copies and additions. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "tools/emulator/cuda_on_cpu/include/emulated/instructions.h"
#include "tools/emulator/cuda_on_cpu/hopper/swizzle.h"
#include "tools/emulator/cuda_on_cpu/races/shadow.h"

namespace emu
{
/* What the emulator stores in a CUtensorMap. */
struct Map {
    uint32_t magic;
    Tensor t;

    int row_bytes() const
    {
        return t.box_columns * t.element;
    }
};

struct Box {
    Map map;
    char *shared;
    int column, row, matrix; /* of the first element, in the tensor */
};

/* Returns the box. Ends the launch if map is not a tensor map, or if `shared`
 * is not a multiple of 1024 bytes. */
Box box_of(const CUtensorMap *map, const void *shared, int column, int row,
           int matrix, uintptr_t pc);

/* Checks and counts TMA's accesses by two agents with the clock `moment`. */
void touch_box(const Box &box, Actor in_shared, Kind shared, Actor in_global,
               Kind global, uint32_t moment, uintptr_t pc);

/* Calls f(shared, global) with two addresses for each 16 bytes of the box.
 * global is null outside of the tensor, and for rows from t.seen on. */
template <class F> void each_piece(const Box &c, F f)
{
    const Tensor &t = c.map.t;
    int row_bytes = c.map.row_bytes();
    for (int r = 0; r < t.box_rows; r++)
        for (int b = 0; b < row_bytes; b += 16) {
            int row = c.row + r, column = c.column + b / t.element;
            size_t at = ((size_t)c.matrix * (size_t)t.rows + (size_t)row) *
                            (size_t)t.columns +
                        (size_t)column;
            bool inside = row >= 0 && row < t.seen && column >= 0 &&
                          column < t.columns && c.matrix >= 0 &&
                          c.matrix < t.matrices;
            char *to =
                (char *)swizzled((size_t)c.shared + (size_t)(r * row_bytes + b),
                                 (size_t)row_bytes);
            f(to, inside ? (char *)t.base + (size_t)t.element * at : nullptr);
        }
}
} // namespace emu
