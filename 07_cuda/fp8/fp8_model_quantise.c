/*
 * e4m3 by its definition, and the pre-pass of rung 11, element by element
 * (fp8_model.h).
 */
#include <math.h>

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

/* Positive codes are in the order of their values: halves the interval. */
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

/* --- The pre-pass ---------------------------------------------------------- */

/* Element (r, c) of matrix `head` of Q, K or V. */
double fp8_element(const void *a, const rung_problem *p, size_t head,
                   size_t rows, size_t r, size_t c)
{
    const uint16_t *x = a;

    return (double)from_bf16(x[(head * rows + r) * (size_t)p->D + c]);
}

/* 448 of this scale are at least as large as the largest finite number. */
static double scale_of(const rung_problem *p, const void *a, size_t head,
                       size_t rows, size_t first, size_t last)
{
    double largest = 0, scale = 0x1p-80;

    for (size_t r = first; r < last; r++)
        for (size_t c = 0; c < (size_t)p->D; c++) {
            double x = fp8_element(a, p, head, rows, r, c);

            if (isfinite(x))
                largest = fmax(largest, fabs(x));
        }
    while (448 * scale < largest)
        scale *= 2;
    return largest > 0 ? scale : 1;
}

/* Scales of all blocks of `block` rows, of which `seen` are. */
static void set_scales(const rung_problem *p, const void *a, size_t heads,
                       size_t rows, size_t seen, size_t block, float *scales,
                       size_t blocks, bool one)
{
    size_t here = (seen + block - 1) / block;
    double largest = 0;

    for (size_t h = 0; h < heads; h++)
        for (size_t b = 0; b < here; b++) {
            size_t last = (b + 1) * block < seen ? (b + 1) * block : seen;
            double scale = scale_of(p, a, h, rows, b * block, last);

            scales[h * blocks + b] = (float)scale;
            largest = fmax(largest, scale);
        }
    for (size_t h = 0; h < heads && one; h++)
        for (size_t b = 0; b < here; b++)
            scales[h * blocks + b] = (float)largest;
}

/* Where key j is in a row of V. */
size_t fp8_place_of(size_t j)
{
    return j / 16 * 16 + j % 8 / 2 * 4 + j % 16 / 8 * 2 + j % 2;
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
    size_t seen = (size_t)fp8_seen(p), keys = (size_t)a.keys;
    size_t end = (seen + FP8_KEYS - 1) / FP8_KEYS * FP8_KEYS;
    size_t q_blocks = (size_t)a.q_blocks, k_blocks = (size_t)a.k_blocks;

    set_scales(p, p->Q, heads, Nq, Nq, FP8_QUERIES, a.q, q_blocks, one_scale);
    set_scales(p, p->K, kv, Nk, seen, FP8_KEYS, a.k, k_blocks, one_scale);
    set_scales(p, p->V, kv, Nk, seen, FP8_KEYS, a.v, k_blocks, one_scale);
    for (size_t h = 0; h < heads; h++)
        for (size_t i = 0; i < Nq; i++)
            for (size_t c = 0; c < D; c++)
                a.Q[(h * Nq + i) * D + c] =
                    code_of(fp8_element(p->Q, p, h, Nq, i, c),
                            a.q[h * q_blocks + i / FP8_QUERIES]);
    for (size_t h = 0; h < kv; h++)
        for (size_t j = 0; j < end; j++)
            for (size_t c = 0; c < D; c++) {
                size_t block = h * k_blocks + j / FP8_KEYS;
                uint8_t *v = &a.V[(h * D + c) * keys + fp8_place_of(j)];

                *v = 0;
                if (j >= seen)
                    continue;
                *v = code_of(fp8_element(p->V, p, h, Nk, j, c), a.v[block]);
                a.K[(h * keys + j) * D + c] =
                    code_of(fp8_element(p->K, p, h, Nk, j, c), a.k[block]);
            }
}
