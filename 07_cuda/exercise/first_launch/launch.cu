/*
 * Brings the numbers to the device and back.
 */
#include "first_launch.h"

#include "07_cuda/exercise/on_device.cuh"

int scale_on_device(const float *x, float *y, size_t n, float a)
{
    return on_device(x, n, y, n, [=](const float *from, float *to) {
        launch_scaled(from, to, (int)n, a);
    });
}
