/*
 * Numbers of 16 bits from .npy files (npy.h).
 */
#include "common/npy/npy.h"

#include "common/half_bits.h"

int npy_read_as(precision type, const char *path, npy_array *array)
{
    int failed = npy_read_bits(&type, path, array);
    size_t n = type == FP32 ? 0 : array->size;

    for (size_t i = 0; i < n; i++) {
        const unsigned char *b = (unsigned char *)array->data + 2 * (n + i);
        uint16_t bits = (uint16_t)(b[0] | b[1] << 8);

        array->data[i] = from_narrow(type, bits);
    }
    return failed;
}
