#include "common/matrix.h"

#include <math.h>

#include "common/precision.h"

void fill(matrix a, float x)
{
    for (size_t i = 0; i < a.rows; i++)
        for (size_t c = 0; c < a.cols; c++)
            row(a, i)[c] = x;
}

float dot(const float *a, const float *b, size_t n)
{
    float sum = 0;

    for (size_t c = 0; c < n; c++)
        sum += a[c] * b[c];
    return sum;
}

void axpy(float *y, float a, const float *x, size_t n)
{
    for (size_t c = 0; c < n; c++)
        y[c] += a * x[c];
}

void add_share(float *y, float a, const float *x, size_t n)
{
    if (a != 0)
        axpy(y, a, x, n);
}

void scale_row(float *y, float a, size_t n)
{
    for (size_t c = 0; c < n; c++)
        y[c] = a != 0 || is_unwritten(y[c]) ? y[c] * a : 0;
}

bool is_unwritten(float x)
{
    return bits_of(x) == UINT32_MAX;
}

float max_of(const float *x, size_t n)
{
    float m = -INFINITY;

    for (size_t j = 0; j < n; j++)
        m = x[j] > m ? x[j] : m;
    return m;
}
