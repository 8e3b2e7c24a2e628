/*
 * The rungs for Hopper (sm_90a): bf16 alone, otherwise as rung.h has it.
 *
 * docs/hopper.md
 */
#ifndef CUDA_HOPPER_H
#define CUDA_HOPPER_H

#include "rung.h"

#ifdef __cplusplus
extern "C" {
#endif

rung_fn rung_wgmma;

#ifdef __cplusplus
}
#endif
#endif
