/* The kernel of backward_simd, compiled once for each target (targets.h). */
#ifndef FLASH2_FAST_BACKWARD_H
#define FLASH2_FAST_BACKWARD_H

#include "common/gradients.h"
#include "common/speed/targets.h"

typedef struct {
    /* Computes dQ, dK and dV in fp32 of a head with at most a causal limit.
     * `all` is a scratch buffer, aligned to 64 bytes. Returns false if a
     * gradient is not finite. Then dQ is undefined, and unless g->add is set
     * dK and dV too. */
    bool (*run)(const gradients *g, float *all);
    /* Returns the number of floats of `all`. */
    size_t (*floats)(const head *h);
} fast_backward;

#define X(target) extern const fast_backward backward_simd_##target;
TARGETS
#undef X

#endif
