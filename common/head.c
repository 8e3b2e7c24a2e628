/*
 * The rule of a part of a head (head.h).
 */
#include "common/head.h"

#include <limits.h>

rule rule_of_queries(rule r, span i)
{
    r.mask = rows_of(r.mask, i);
    r.offset += (long)i.first;
    return r;
}

rule rule_of_keys(rule r, span j)
{
    if (r.mask.hbm.data)
        r.mask.hbm = block(r.mask.hbm, 0, j.first, r.mask.hbm.rows, j.n);
    r.offset -= (long)j.first;
    return r;
}

/* If i + offset is beyond all keys, the offset can be clamped and the window
 * shortened by the same amount: the query sees the same keys, and no sum of the
 * three overflows. ALiBi measures distances from i + offset, so with ALiBi the
 * clamp is at LONG_MAX / 4. A window as long as the whole range hides no
 * key. */
rule rule_within_limits(rule r, size_t Nq, size_t Nk)
{
    const long far = LONG_MAX / 4;
    bool measured = r.slope > 0;
    long least = measured ? -far : -(long)Nq, most = measured ? far : (long)Nk;
    long place = clamped(r.offset, least, most);
    size_t moved = place > r.offset ? (size_t)place - (size_t)r.offset
                                    : (size_t)r.offset - (size_t)place;

    r.offset = place;
    if (r.window)
        r.window = min_size(r.window > moved ? r.window - moved : 1,
                            (size_t)most - (size_t)least);
    return r;
}
