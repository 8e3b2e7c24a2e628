/* flash2_simd with expf, a call for each weight. */
#include "06_flash2/simd.h"

INLINE vf exp_by_calls(vf s, vf m)
{
    vf p = s;

    EACH (i, 0, W)
        p[i] = expf(s[i] - m[i] * (ln2 + ln2_rest));
    return p;
}

#define exp_over exp_by_calls

#include "06_flash2/flash2_simd.c"
