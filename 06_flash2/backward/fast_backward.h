/*
 * The backward kernel of chapter 06 that is compiled once for each target
 * (common/speed/targets.h): backward_simd_native and the like.
 */
#ifndef FLASH2_FAST_BACKWARD_H
#define FLASH2_FAST_BACKWARD_H

#include "common/gradients.h"
#include "common/speed/targets.h"

typedef struct {
    /* Writes dQ, dK and dV of a head in fp32 without mask or softcap. False if
     * there is a NaN or an infinity. Then dQ, dK and dV are undefined; with
     * g->add dK and dV are unchanged. */
    bool (*run)(const gradients *g, float *all);
    /* Returns the number of floats of `all` for a head, aligned to 64 bytes. */
    size_t (*floats)(const head *h);
} fast_backward;

#define X(target) extern const fast_backward backward_simd_##target;
TARGETS
#undef X

#endif
