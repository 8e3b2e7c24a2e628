/* flash2_simd as it is, compiled as the others here are. */
#include "06_flash2/fast/flash2_simd.c"
