/* What a tensor map of this interpreter begins with: the host made it by
 * cuTensorMapEncodeTiled (tensor_map.cpp), and nothing else may be one. */
#pragma once
#include "07_cuda/witness/machine.h"

constexpr u64 TENSOR_MAP = 0x746d61706d617021;

/* The driver's function, as a program asks the runtime for it; null: another. */
void *driver_function(const char *name);
