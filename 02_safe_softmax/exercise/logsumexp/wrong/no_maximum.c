/* wrong: e^x as it stands */
/* message: e^89 overflows fp32 */
#include "logsumexp.h"

#include <math.h>

float logsumexp(const float *x, size_t n)
{
    float l = 0;

    for (size_t i = 0; i < n; i++)
        l += expf(x[i]);
    return logf(l);
}
