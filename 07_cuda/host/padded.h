/*
 * A layer as chapters 04-06 have it, made into a problem for a rung: Q, K and
 * V rounded to the rung's type, and d and dv padded with zeros to D columns,
 * which change no score and no output.
 */
#ifndef CUDA_PADDED_H
#define CUDA_PADDED_H

#include "common/layer.h"

#include "07_cuda/rung.h"

/*
 * p from a layer. All of p's arrays are new, on the host. Returns 0, or 1
 * without memory; padded_free frees in any case.
 */
int padded_from(rung_problem *p, const layer *l, precision type, int D);

/* O and L of p to the layer, widened to fp32. */
void padded_to(const layer *l, const rung_problem *p);

void padded_free(rung_problem *p);

/* The rows of a matrix in D columns of that type, of which those beyond its own
 * become 0; and back, widened to fp32, in place of what was there or added. */
void pad_rows(void *to, matrix from, size_t D, precision type);
void unpad_rows(matrix to, const void *from, size_t D, precision type,
                bool add);

/* A head's limit as kernels have it: beyond -Nq .. Nk nothing changes. */
int limit_of(const head *h);

/* --- The messages of a step that does not run ----------------------------- */

/* Puts the line into mem->message; returns the error. */
int fail_step(memory *mem, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The columns to which what needs this pads d and dv; 0: they don't fit. */
int columns_of(const demand *n, const head *h);

/* Does the head ask for what no kernel here does, but those chapters do ("04 to
 * 06"), are n heads like it too many or too wide, or is this no card for it? 0,
 * or MEMORY_REFUSED with a line. */
int refuse_heads(const head *h, size_t n, const demand *needs,
                 const char *chapters, memory *mem);

#endif
