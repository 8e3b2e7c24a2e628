/*
 * A register tile has up to R rows of C vectors of sums. Compiled once for each
 * target (common/speed/targets.h). docs/backward.md
 */
#ifndef FLASH2_REGISTER_TILE_H
#define FLASH2_REGISTER_TILE_H

#include <stdbool.h>

#include "06_flash2/fast/simd.h"

/* R C vectors of sums, C vectors of one factor and one broadcast number of the
 * other fit in the 32 registers of AVX-512 or NEON, or the 16 registers of AVX2
 * or SSE2. */
#if defined(__AVX512F__) || defined(__aarch64__)
enum { R = 6, C = 4 };
#else
enum { R = 4, C = 3 };
#endif

enum { FEW = R - 2 }; /* rows of a smaller tile (next_rows) */

#ifdef __clang__
#define TWICE _Pragma("clang loop unroll_count(2)")
#else
#define TWICE _Pragma("GCC unroll 2")
#endif

/* A function that is not inlined has all registers for its register tile. It
 * takes pointers to structs, because a copy of a struct waits for the last
 * store to the struct, and so for the previous tile. */
#define ALONE static __attribute__((noinline))

typedef struct {
    const float *A;
    size_t rs, ks; /* strides of A, in floats, for the next row and next k */
    const float *B;
    size_t bs, n; /* stride of B, in floats, for the next k; number of k */
} product;

/* Adds to vector x of row r: sums[r][x] += sum_k A[r * rs + k * ks] B_x[k],
 * where B_x[k] is the vector at B + k * bs + x * W. */
INLINE void multiply(size_t rows, size_t x0, vf sums[R][C], product p)
{
    TWICE for (size_t k = p.n; k > 0; k--, p.A += p.ks, p.B += p.bs)
    {
        vf b[C];

        EACH (x, x0, C) {
            b[x] = load_lanes(p.B + x * W);
            IN_REGISTER(b[x]);
        }
        EACH (r, 0, rows)
            EACH (x, x0, C)
                sums[r][x] += p.A[r * p.rs] * b[x];
    }
}

INLINE size_t next_rows(bool whole, size_t left)
{
    return whole && left >= R ? R : left >= FEW ? FEW : 1;
}

/* Calls f(rows, x0, ...) with rows and x0 as constants, so that the compiler
 * keeps the sums in registers. */
#define OF_SHAPE(f, ...)                                                       \
    do {                                                                       \
        EACH (x, 0, C)                                                         \
            if (x == x0 && rows == FEW)                                        \
                f(FEW, x, __VA_ARGS__);                                        \
            else if (x == x0)                                                  \
                f(1, x, __VA_ARGS__);                                          \
    } while (0)

/* Adds a product to dQ, dK or dV. */
INLINE void add_product(size_t rows, size_t x0, matrix out, product p)
{
    vf sums[R][C] = {{{0}}};

    EACH (r, 0, rows) /* prefetches out */
        EACH (x, x0, C)
            __builtin_prefetch(row(out, r) + x * W, 1);
    multiply(rows, x0, sums, p);
    EACH (r, 0, rows)
        EACH (x, x0, C) {
            float *to = row(out, r) + x * W;

            store_lanes(to, load_lanes(to) + sums[r][x]);
        }
}

ALONE void add_tile(const matrix *out, const product *p)
{
    add_product(R, 0, *out, *p);
}

ALONE void add_less(size_t rows, size_t x0, const matrix *out, const product *p)
{
    OF_SHAPE(add_product, *out, *p);
}

static void add_rows(size_t x0, matrix out, product p)
{
    size_t rows;

    for (size_t r = 0; r < out.rows; r += rows, p.A += rows * p.rs) {
        matrix to;

        rows = next_rows(x0 == 0, out.rows - r);
        to = block(out, r, 0, rows, C * W);
        if (rows == R)
            add_tile(&to, &p);
        else
            add_less(rows, x0, &to, &p);
    }
}

#endif
