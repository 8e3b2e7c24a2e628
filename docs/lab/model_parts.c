/*
 * The parts of the model (model.h).
 */
#include "docs/lab/model.h"

#include <math.h>
#include <string.h>

/* --- Products -------------------------------------------------------------- */

/* 64 columns at a time stay in registers: stored and fetched again for each k,
 * a sum would wait for its own way to the cache and back. */
void multiply(float *Y, const float *X, const float *W, size_t in, size_t out)
{
    enum { WIDE = 64 };

    for (size_t i = 0; i < BATCH; i++, X += in, Y += out) {
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
                   const float *W, size_t in, size_t out)
{
    for (size_t i = 0; i < BATCH; i++)
        for (size_t k = 0; k < in; k++) {
            dX[i * in + k] += dot_in_16(dY + i * out, W + k * out, out);
            for (size_t c = 0; c < out; c++)
                dW[k * out + c] += X[i * in + k] * dY[i * out + c];
        }
}

/* --- Norms ----------------------------------------------------------------- */

static float inverse_length(const float *x)
{
    return 1 / sqrtf(dot(x, x, C) / (float)C + 1e-5f);
}

void norm(float *y, const float *x)
{
    for (size_t i = 0; i < BATCH; i++, x += C, y += C) {
        float r = inverse_length(x);

        for (size_t c = 0; c < C; c++)
            y[c] = r * x[c];
    }
}

void norm_back(float *dx, const float *dy, const float *y, const float *x)
{
    for (size_t i = 0; i < BATCH; i++, dx += C, dy += C, y += C, x += C) {
        float r = inverse_length(x), mean = dot(y, dy, C) / (float)C;

        for (size_t c = 0; c < C; c++)
            dx[c] += r * (dy[c] - y[c] * mean);
    }
}

/* --- Heads ----------------------------------------------------------------- */

void turn_heads(float *rows, size_t cols, size_t from, float *heads,
                bool to_heads)
{
    size_t d = C / HEADS;

    for (size_t i = 0; i < BATCH; i++)
        for (size_t h = 0; h < HEADS; h++) {
            size_t sequence = i / TOKENS, t = i % TOKENS;
            float *of_row = rows + i * cols + from + h * d;
            float *of_head = heads + ((sequence * HEADS + h) * TOKENS + t) * d;

            if (to_heads)
                memcpy(of_head, of_row, d * sizeof *of_row);
            else
                memcpy(of_row, of_head, d * sizeof *of_row);
        }
}
