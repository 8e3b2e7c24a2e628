/* scan.h: cooperative_groups::inclusive_scan and exclusive_scan. */
#pragma once
#include <cooperative_groups/reduce.h>

namespace cooperative_groups
{
template <class T, class Op = plus<T>>
T inclusive_scan(const lanes &g, T v, Op op = Op(), Site at = Site::here())
{
    for (unsigned by = 1; by < g.size(); by *= 2) {
        T before = g.shfl_up(v, by, at);

        if (g.thread_rank() >= by)
            v = op(before, v);
    }
    return v;
}

/* Like inclusive_scan without this thread's value; rank 0 gets T(). */
template <class T, class Op = plus<T>>
T exclusive_scan(const lanes &g, T v, Op op = Op(), Site at = Site::here())
{
    T before = g.shfl_up(inclusive_scan(g, v, op, at), 1, at);

    return g.thread_rank() == 0 ? T() : before;
}
} // namespace cooperative_groups
