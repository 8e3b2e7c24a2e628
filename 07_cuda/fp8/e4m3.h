/*
 * fp8 e4m3: a sign, 4 bits of exponent, 3 of fraction; no infinity. For the
 * host, by the definition; the kernels have pack_e4m3x4 (ptx_hopper_gpu.h).
 */
#ifndef CUDA_E4M3_H
#define CUDA_E4M3_H

/* The number that the code, 0 to 255, stands for; 127 and 255: NaN. */
double e4m3_value(unsigned code);

/* The code whose number is nearest to x, of two the even one; beyond 448, the
 * largest, it is that of 448. */
unsigned e4m3_code(double x);

#endif
