/*
 * Converts a layer of chapters 04 to 06 to a problem for a rung. Q, K and V are
 * rounded to the type of the rung. d and dv are padded to D columns with zeros,
 * which change no score and no output.
 */
#ifndef CUDA_PADDED_H
#define CUDA_PADDED_H

#include "common/layer.h"

#include "07_cuda/rung.h"

/* Returns a problem with the sizes of a layer, without arrays. */
rung_problem sized_as(const layer *l, precision type, int D);

/* Makes p from a layer, with new arrays on the host. Returns 0, or 1 if there
 * is no memory. The caller must call padded_free in both cases. */
int padded_from(rung_problem *p, const layer *l, precision type, int D);

/* Stores O and L of p in the layer, converted to fp32. */
void padded_to(const layer *l, const rung_problem *p);

void padded_free(rung_problem *p);

/* pad_rows pads with zeros to D columns. unpad_rows stores the rows in `to`, or
 * adds them to `to` if add is true. */
void pad_rows(void *to, matrix from, size_t D, precision type);
void unpad_rows(matrix to, const void *from, size_t D, precision type,
                bool add);

/* Returns the causal offset of a head for kernels, clamped to -Nq .. Nk.
 * Without a causal limit it is Nk. */
int limit_of(const head *h);

/* Stores a message and an error in mem. Returns the error. */
int fail_step(memory *mem, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the columns to which d and dv are padded, or 0 if they do not fit. */
int columns_of(const demand *n, const head *h);

/* Returns 0 if a rung with this demand can run n heads like h, else
 * MEMORY_REFUSED with a message. For a missing feature the message names
 * `chapters` ("04 to 06"), which have it. */
int refuse_heads(const head *h, size_t n, const demand *needs,
                 const char *chapters, memory *mem);

#endif
