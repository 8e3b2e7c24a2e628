/*
 * The rungs for Hopper (sm_90a): bf16 alone, otherwise as rung.h has it.
 *
 * docs/hopper.md
 */
#ifndef CUDA_HOPPER_H
#define CUDA_HOPPER_H

#include "rung.h"

/* In the order in which one climbs them, as in rung.h: name, Br for D = 64 and
 * 128, Bc, idea. */
#define HOPPER_RUNGS(RUNG)                                                     \
    RUNG(wgmma, 128, 128, 128, 128, "wgmma and TMA: tiles come by themselves") \
    RUNG(roles, 192, 128, 128, 128, "one warpgroup loads, the others compute") \
    RUNG(pingpong, 192, 128, 128, 128, "softmax beside matrix products")

#define AS_HOPPER_FUNCTION(name, ...) rung_fn rung_##name;
#define AS_HOPPER_NUMBER(name, ...)   HOPPER_##name,

#ifdef __cplusplus
extern "C" {
#endif

HOPPER_RUNGS(AS_HOPPER_FUNCTION)

enum { HOPPER_RUNGS(AS_HOPPER_NUMBER) HOPPERS };

#ifdef __cplusplus
}
#endif
#endif
