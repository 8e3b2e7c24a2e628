/* What the kernels need of math.h in a browser: math.c. */
#ifndef BOOK_MATH_H
#define BOOK_MATH_H
#define INFINITY    __builtin_inff()
#define NAN         __builtin_nanf("")
#define isnan(x)    __builtin_isnan(x)
#define isinf(x)    __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define fabsf(x)    __builtin_fabsf(x)
#define sqrtf(x)    __builtin_sqrtf(x)
float expf(float x);
float logf(float x);
float tanhf(float x);
float fmaxf(float a, float b);
double fmax(double a, double b);
#endif
