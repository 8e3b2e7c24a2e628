/* wrong: adds up e^m l, which overflows */
/* message: e^m overflows, and L need not */
#include "parts_in_any_order.h"

#include <math.h>

float logsumexp_of_parts(const part *parts, size_t n)
{
    float l = 0;

    for (size_t i = 0; i < n; i++) {
        l = l + expf(parts[i].m) * parts[i].l;
    }
    return logf(l);
}
