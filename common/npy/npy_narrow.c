/*
 * Numbers of 16 bits from .npy files (npy.h).
 */
#include "common/npy/npy.h"

#include "common/half_bits.h"

int npy_read_as(precision type, const char *path, npy_array *array)
{
    int failed = npy_read_bits(&type, path, array);
    const unsigned char *from = (unsigned char *)array->data + 2 * array->size;

    for (size_t i = 0; i < array->size && type != FP32; i++) {
        uint16_t bits = (uint16_t)(from[2 * i] | from[2 * i + 1] << 8);

        array->data[i] = from_narrow(type, bits);
    }
    return failed;
}
