/* flash2_simd without IN_REGISTER: the compiler may load a vector for each
 * use. */
#include "06_flash2/fast/simd.h"

#undef IN_REGISTER
#define IN_REGISTER(x) ((void)0)

#include "06_flash2/fast/flash2_simd.c"
