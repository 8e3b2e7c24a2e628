/* reduce.h: cooperative_groups::reduce, in a separate header as in CUDA. A file
 * that does not include the header may define its own reduce. */
#pragma once
#include <cooperative_groups.h>

namespace cooperative_groups
{
#define EMU_OPERATION(name, expression)                                        \
    template <class T> struct name {                                           \
        T operator()(T x, T y) const                                           \
        {                                                                      \
            return expression;                                                 \
        }                                                                      \
    };
EMU_OPERATION(plus, x + y)
EMU_OPERATION(less, y < x ? y : x)
EMU_OPERATION(greater, x < y ? y : x)
#undef EMU_OPERATION

template <class T, class Op>
T reduce(const lanes &g, T v, Op op, Site at = Site::here())
{
    for (int by = (int)g.size() / 2; by > 0; by /= 2)
        v = op(v, g.shfl_xor(v, by, at));
    return v;
}
} // namespace cooperative_groups
