/* tensor_map.cpp: the driver's rules for a tiled map of three dimensions. */
#include <cuda.h>

#include <cstring>

#include "07_cuda/witness/tensor_map.h"

namespace
{
u32 bytes_of(CUtensorMapDataType type)
{
    switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8:
        return 1;
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
        return 2;
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
        return 4;
    default:
        return 0;
    }
}

u32 span_of(CUtensorMapSwizzle swizzle)
{
    return swizzle == CU_TENSOR_MAP_SWIZZLE_128B  ? 128
           : swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 64
           : swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? 32
                                                  : 16;
}

CUresult encode(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank,
                void *base, const cuuint64_t *size, const cuuint64_t *stride,
                const cuuint32_t *box, const cuuint32_t *step,
                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                CUtensorMapL2promotion, CUtensorMapFloatOOBfill)
{
    TensorMap m = {};
    bool bad = rank != 3 || interleave || (u64)base % 16 || (u64)out % 64;

    m.mark = TENSOR_MAP;
    m.base = (u64)base;
    m.bytes = bytes_of(type);
    m.swizzle = span_of(swizzle);
    for (int e = 0; e < 3 && !bad; e++) {
        bad = !size[e] || size[e] > 1ull << 32 || !box[e] || box[e] > 256 ||
              step[e] != 1;
        m.size[e] = size[e], m.box[e] = box[e];
    }
    for (int e = 0; e < 2 && !bad; e++) {
        bad = stride[e] % 16 || stride[e] >= 1ull << 40;
        m.stride[e] = stride[e];
    }
    u32 row = m.box[0] * m.bytes;
    if (bad || !m.bytes || row % 16 || (m.swizzle > 16 && row > m.swizzle) ||
        m.stride[0] < m.size[0] * m.bytes)
        return CUDA_ERROR_INVALID_VALUE;
    std::memset(out, 0, sizeof *out);
    std::memcpy(out, &m, sizeof m);
    return CUDA_SUCCESS;
}
} // namespace

void *driver_function(const char *name)
{
    return std::strcmp(name, "cuTensorMapEncodeTiled") ? nullptr
                                                       : (void *)encode;
}
