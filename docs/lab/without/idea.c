/*
 * flash2_simd with one of its ideas taken out, which the compiler's command
 * line names; WITHOUT_nothing: as it is, compiled as the others here are.
 */
#include "06_flash2/fast/simd.h"

#ifdef WITHOUT_vector_exp /* expf, a call for each weight */
INLINE void exp_by_calls(size_t n, vf s[], const vf m[])
{
    EACH (x, 0, n) {
        vf p = s[x];

        EACH (i, 0, W)
            p[i] = expf(p[i] - m[x][i] * (ln2 + ln2_rest));
        s[x] = p;
    }
}
#define exp_over exp_by_calls
#endif

#ifdef WITHOUT_side_by_side /* one vector's exponential after the other */
INLINE void exp_one_by_one(size_t n, vf s[], const vf m[])
{
    EACH (x, 0, n)
        exp_over(1, s + x, m + x);
}
#define exp_over exp_one_by_one
#endif

#ifdef WITHOUT_registers /* the compiler may load a vector for each use */
#undef IN_REGISTER
#define IN_REGISTER(x) ((void)0)
#endif

#ifdef WITHOUT_prefetch /* not a word to the caches of what comes next */
#define prefetch(a, i0, n) ((void)(a), (void)(i0), (void)(n))
#endif

#ifdef WITHOUT_transposing /* Q and O number by number, through memory */
INLINE void transpose_numbers(vf x[W])
{
    float by_row[W][W];

    memcpy(by_row, x, sizeof by_row);
    for (size_t i = 0; i < W; i++)
        for (size_t j = 0; j < W; j++)
            x[j][i] = by_row[i][j];
}
#define transpose transpose_numbers
#endif

#include "06_flash2/fast/flash2_simd.c"
