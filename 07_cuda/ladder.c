/*
 * The ladder as a table (rung.h).
 */
#include "07_cuda/rung.h"

#define AS_ROW(name, Br64, Br128, Bc64, Bc128, idea, type)                     \
    [RUNG_##name] = {#name,       idea,          type,                         \
                     rung_##name, {Br64, Br128}, {Bc64, Bc128}},
#define FP32_ROW(...)   AS_ROW(__VA_ARGS__, FP32)
#define NARROW_ROW(...) AS_ROW(__VA_ARGS__, BF16)

const rung ladder[RUNGS] = {FP32_RUNGS(FP32_ROW) NARROW_RUNGS(NARROW_ROW)};
