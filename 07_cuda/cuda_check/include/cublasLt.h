/* cublasLt.h: only that it can be included and asked for a handle. */
#pragma once
#include "cublas_v2.h"
