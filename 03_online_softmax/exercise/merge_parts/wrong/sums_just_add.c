/* wrong: partial sums add only when both have the same maximum */
/* message: the second sum was made with a smaller maximum: rescale it */
#include "merge_parts.h"

#include <math.h>

part merge_parts(part a, part b)
{
    return (part){fmaxf(a.m, b.m), a.l + b.l};
}
