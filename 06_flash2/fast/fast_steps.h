/* Kernels that are compiled once for each target of common/speed/targets.h. */
#ifndef FLASH2_FAST_STEPS_H
#define FLASH2_FAST_STEPS_H

#include "06_flash2/fast/bf16_heads.h"
#include "06_flash2/fast/key_parts.h"
#include "06_flash2/fast/query_blocks.h"
#include "common/speed/targets.h"

#define X(target)                                                              \
    extern const block_kernel flash2_lanes_##target, flash2_simd_##target;     \
    extern const bf16_kernel widened_##target;                                 \
    part_kernel split_kv_simd_##target;
TARGETS
#undef X

#endif
