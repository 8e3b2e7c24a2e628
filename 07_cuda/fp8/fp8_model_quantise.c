/* The model's e4m3 and its version of rung 11's pre-pass (fp8_model.h). */
#include <math.h>
#include <string.h>

#include "07_cuda/fp8/fp8.h"
#include "07_cuda/fp8/fp8_model.h"

double e4m3_value(unsigned code)
{
    int e = (int)(code >> 3 & 15), n = (int)(code & 7);
    double size = e ? ldexp(8 + n, e - 10) : ldexp(n, -9);

    if ((code & 127) == 127)
        return (double)NAN;
    return code & 128 ? -size : size;
}

/* By binary search, because positive codes are in the order of their values. */
unsigned e4m3_code(double x)
{
    unsigned low = 0, high = 126;
    double size = fabs(x), middle;

    if (isnan(x))
        return 127;
    while (high - low > 1) {
        unsigned half = (low + high) / 2;

        *(e4m3_value(half) <= size ? &low : &high) = half;
    }
    middle = (e4m3_value(low) + e4m3_value(high)) / 2;
    if (size > middle || (size == middle && low % 2))
        low = high;
    return low + (signbit(x) ? 128 : 0);
}

size_t fp8_block_of(const rung_problem *p, size_t e)
{
    size_t Nq = (size_t)p->Nq, row = e / (size_t)p->D;

    return row / Nq * (size_t)fp8_in(p).q_blocks + row % Nq / FP8_QUERIES;
}

fp8_place fp8_place_of(const rung_problem *p, size_t e)
{
    fp8_arrays a = fp8_in(p);
    size_t D = (size_t)p->D, Nk = (size_t)p->Nk, keys = (size_t)a.keys;
    size_t c = e % D, j = e / D % Nk, head = e / D / Nk;
    size_t in_V = j / 16 * 16 + j % 8 / 2 * 4 + j % 16 / 8 * 2 + j % 2;

    return (fp8_place){j, (head * keys + j) * D + c,
                       (head * D + c) * keys + in_V,
                       head * (size_t)a.k_blocks + j / FP8_KEYS};
}

/* Returns the smallest power of two, from 2^-80 on, that is at least 1 / 448 of
 * the largest finite |x|. If all finite x are 0, returns 1. */
static double scale_of(const uint16_t *x, size_t n)
{
    double largest = 0, scale = 0x1p-80;

    for (size_t e = 0; e < n; e++)
        if (isfinite(fp8_number(x, e)))
            largest = fmax(largest, fabs(fp8_number(x, e)));
    while (448 * scale < largest)
        scale *= 2;
    return largest > 0 ? scale : 1;
}

/* Sets the scales of the blocks of `block` rows, for the first `seen` rows of
 * each head. If `one`, all scales become the largest scale. */
static void set_scales(const void *a, size_t heads, size_t rows, size_t seen,
                       size_t D, size_t block, float *scales, size_t blocks,
                       bool one)
{
    float largest = 0;

    for (size_t h = 0; h < heads; h++)
        for (size_t r = 0; r < seen; r += block) {
            size_t here = r + block < seen ? block : seen - r;
            float *scale = &scales[h * blocks + r / block];

            *scale = (float)scale_of((const uint16_t *)a + (h * rows + r) * D,
                                     here * D);
            largest = fmaxf(largest, *scale);
        }
    for (size_t h = 0; h < heads && one; h++)
        for (size_t r = 0; r < seen; r += block)
            scales[h * blocks + r / block] = largest;
}

static uint8_t code_of(double x, float scale)
{
    return (uint8_t)e4m3_code(isinf(x) ? (double)NAN : x / (double)scale);
}

void fp8_model_quantise(const rung_problem *p, bool one_scale)
{
    fp8_arrays a = fp8_in(p);
    size_t heads = (size_t)p->heads, kv = heads / (size_t)p->group;
    size_t Nq = (size_t)p->Nq, Nk = (size_t)p->Nk, D = (size_t)p->D;
    size_t seen = (size_t)fp8_seen(p), k_blocks = (size_t)a.k_blocks;
    size_t end = (seen + FP8_KEYS - 1) / FP8_KEYS * FP8_KEYS;

    set_scales(p->Q, heads, Nq, Nq, D, FP8_QUERIES, a.q, (size_t)a.q_blocks,
               one_scale);
    set_scales(p->K, kv, Nk, seen, D, FP8_KEYS, a.k, k_blocks, one_scale);
    set_scales(p->V, kv, Nk, seen, D, FP8_KEYS, a.v, k_blocks, one_scale);
    for (size_t e = 0; e < fp8_count_q(p); e++)
        a.Q[e] = code_of(fp8_number(p->Q, e), a.q[fp8_block_of(p, e)]);
    for (size_t row = 0; row < kv * D; row++)
        memset(a.V + row * (size_t)a.keys, 0, end);
    for (size_t e = 0; e < fp8_count_k(p); e++) {
        fp8_place at = fp8_place_of(p, e);

        if (at.key >= seen)
            continue;
        a.K[at.k] = code_of(fp8_number(p->K, e), a.k[at.block]);
        a.V[at.v] = code_of(fp8_number(p->V, e), a.v[at.block]);
    }
}
