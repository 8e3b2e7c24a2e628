/*
 * e^x, ln x and tanh x for floats, worked out in double and rounded once: to
 * the nearest float, but for about one x in 2^25 that lies next to a tie.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

static double two_to(int k)
{
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* e^x for |x| < 700: x = k ln 2 + r, |r| <= 0.35, and a series for e^r. */
static double exponential(double x)
{
    const double ln2_high = 0x1.62e42fefp-1, ln2_low = 0x1.473de6af278edp-34;
    int k = (int)(x * 0x1.71547652b82fep0 + (x < 0 ? -0.5 : 0.5));
    double r = x - k * ln2_high - k * ln2_low, sum = 1;

    for (int n = 13; n > 0; n--)
        sum = 1 + sum * r / n;
    return sum * two_to(k);
}

float expf(float x)
{
    if (isnan(x))
        return x;
    if (x > 89)
        return INFINITY;
    return x < -105 ? 0 : (float)exponential((double)x);
}

/* x = 2^k f, f in [0.707, 1.414); ln f = 2 artanh((f - 1) / (f + 1)). */
float logf(float x)
{
    double f = (double)x, s, square, sum = 0;
    uint64_t bits;
    int k;

    if (isnan(x) || x < 0)
        return NAN;
    if (x == 0 || isinf(x))
        return x == 0 ? -INFINITY : x;
    memcpy(&bits, &f, sizeof bits);
    k = (int)(bits >> 52) - 1023;
    f *= two_to(-k);
    if (f > 0x1.6a09e667f3bcdp0) {
        f /= 2;
        k++;
    }
    s = (f - 1) / (f + 1);
    square = s * s;
    for (int n = 21; n > 0; n -= 2)
        sum = sum * square + 1.0 / n;
    return (float)(2 * s * sum + k * 0x1.62e42fefa39efp-1);
}

float tanhf(float x)
{
    double e;

    if (isnan(x) || fabsf(x) < 0x1p-12f)
        return x;
    if (fabsf(x) > 20)
        return x < 0 ? -1 : 1;
    e = exponential(2 * (double)x);
    return (float)((e - 1) / (e + 1));
}

float fmaxf(float a, float b)
{
    return isnan(a) || a < b ? b : a;
}

double fmax(double a, double b)
{
    return isnan(a) || a < b ? b : a;
}
