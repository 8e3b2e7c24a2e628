/* wrong: keeps the part with the larger maximum and drops the other */
/* message: with the same maximum the sums just add */
#include "merge_parts.h"

#include <math.h>

part merge_parts(part a, part b)
{
    return a.m >= b.m ? a : b;
}
