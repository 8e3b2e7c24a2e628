/* cuda_runtime.h: NVIDIA's header for the CPU. Page: docs/cuda_on_cpu.md. */
#pragma once
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "emulated/language.h"
#include "emulated/vectors.h"
#include "emulated/launch.h"
#include "emulated/warp.h"
#include "emulated/arithmetic.h"
#include "emulated/host.h"
