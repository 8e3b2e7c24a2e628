/*
 * The kernel of backward_simd. It is compiled once for each target of
 * common/speed/targets.h, for example as backward_simd_native.
 */
#ifndef FLASH2_FAST_BACKWARD_H
#define FLASH2_FAST_BACKWARD_H

#include "common/gradients.h"
#include "common/speed/targets.h"

typedef struct {
    /* Computes dQ, dK and dV of a head in fp32 without mask or softcap. `all`
     * is a buffer, aligned to 64 bytes. Returns false if there is a NaN or an
     * infinity. Then dQ, dK and dV are undefined, but with g->add dK and dV are
     * unchanged. */
    bool (*run)(const gradients *g, float *all);
    /* Returns the number of floats of the buffer `all` for a head. */
    size_t (*floats)(const head *h);
} fast_backward;

#define X(target) extern const fast_backward backward_simd_##target;
TARGETS
#undef X

#endif
