/*
 * merge_parts, asked of a worker (tools/grade/remote.h).
 * the skeleton holds: two_empty_parts_are_empty
 */
#include "merge_parts.h"

#include "tools/grade/remote.h"

#ifdef JUDGE
part merge_parts(part a, part b)
{
    part merged;

    SAY(a);
    SAY(b);
    exchange();
    HEAR(merged);
    return merged;
}
#else
void serve(void)
{
    part a, b, merged;

    HEAR(a);
    HEAR(b);
    merged = merge_parts(a, b);
    SAY(merged);
}
#endif
