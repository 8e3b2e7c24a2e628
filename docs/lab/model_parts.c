/*
 * The parts of the model (model_parts.h).
 */
#include "docs/lab/model_parts.h"

#include <math.h>
#include <string.h>

/* --- Products -------------------------------------------------------------- */

/* 64 columns at a time stay in registers: stored and fetched again for each k,
 * a sum would wait for its own way to the cache and back. */
void multiply(float *Y, const float *X, const float *W, size_t rows, size_t in,
              size_t out)
{
    enum { WIDE = 64 };

    for (size_t i = 0; i < rows; i++, X += in, Y += out) {
        size_t c0 = 0;

        for (; c0 + WIDE <= out; c0 += WIDE) {
            float sums[WIDE];

            for (size_t c = 0; c < WIDE; c++)
                sums[c] = Y[c0 + c];
            for (size_t k = 0; k < in; k++)
                for (size_t c = 0; c < WIDE; c++)
                    sums[c] += X[k] * W[k * out + c0 + c];
            for (size_t c = 0; c < WIDE; c++)
                Y[c0 + c] = sums[c];
        }
        for (size_t k = 0; k < in; k++)
            for (size_t c = c0; c < out; c++)
                Y[c] += X[k] * W[k * out + c];
    }
}

/* dot in 16 sums side by side, which a compiler can keep in a vector. */
static float dot_in_16(const float *a, const float *b, size_t n)
{
    float sums[16] = {0}, sum = 0;
    size_t c = 0;

    for (; c + 16 <= n; c += 16)
        for (size_t k = 0; k < 16; k++)
            sums[k] += a[c + k] * b[c + k];
    for (; c < n; c++)
        sum += a[c] * b[c];
    for (size_t k = 0; k < 16; k++)
        sum += sums[k];
    return sum;
}

void multiply_back(float *dX, float *dW, const float *dY, const float *X,
                   const float *W, size_t rows, size_t in, size_t out)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < in; k++) {
            dX[i * in + k] += dot_in_16(dY + i * out, W + k * out, out);
            for (size_t c = 0; c < out; c++)
                dW[k * out + c] += X[i * in + k] * dY[i * out + c];
        }
}

/* --- Norms ----------------------------------------------------------------- */

static float inverse_length(const float *x, size_t C)
{
    return 1 / sqrtf(dot(x, x, C) / (float)C + 1e-5f);
}

void norm(float *y, const float *x, size_t rows, size_t C)
{
    for (size_t i = 0; i < rows; i++, x += C, y += C) {
        float r = inverse_length(x, C);

        for (size_t c = 0; c < C; c++)
            y[c] = r * x[c];
    }
}

void norm_back(float *dx, const float *dy, const float *y, const float *x,
               size_t rows, size_t C)
{
    for (size_t i = 0; i < rows; i++, dx += C, dy += C, y += C, x += C) {
        float r = inverse_length(x, C), mean = dot(y, dy, C) / (float)C;

        for (size_t c = 0; c < C; c++)
            dx[c] += r * (dy[c] - y[c] * mean);
    }
}

/* --- Heads ----------------------------------------------------------------- */

void turn_heads(const model_sizes *s, float *rows, size_t cols, size_t from,
                float *heads, bool to_heads)
{
    size_t d = s->C / s->H;

    for (size_t b = 0; b < s->B; b++)
        for (size_t h = 0; h < s->H; h++)
            for (size_t t = 0; t < s->T; t++) {
                float *row_at = rows + (b * s->T + t) * cols + from + h * d;
                float *head_at = heads + ((b * s->H + h) * s->T + t) * d;

                if (to_heads)
                    memcpy(head_at, row_at, d * sizeof *row_at);
                else
                    memcpy(row_at, head_at, d * sizeof *row_at);
            }
}

/* --- Where a parameter lies ------------------------------------------------ */

static size_t size_of(const model_sizes *s, matrix_of_layer which)
{
    size_t C = s->C;

    return which == QKV_OF ? 3 * C * C : which == WO ? C * C : 4 * C * C;
}

size_t positions_at(const model_sizes *s)
{
    return s->vocabulary * s->C;
}

size_t unembedding_at(const model_sizes *s)
{
    return positions_at(s) + s->T * s->C;
}

size_t matrix_at(const model_sizes *s, size_t k, matrix_of_layer which)
{
    size_t begin = unembedding_at(s) + s->C * s->vocabulary, each = 0;

    for (matrix_of_layer w = QKV_OF; w < PER_LAYER; w++)
        each += size_of(s, w);
    begin += k * each;
    for (matrix_of_layer w = QKV_OF; w < which; w++)
        begin += size_of(s, w);
    return begin;
}
