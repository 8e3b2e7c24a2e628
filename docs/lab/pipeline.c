/* Runs rung 10 on the emulator for one tile of 128 queries at d = 128. The rung
 * prints its waits and products (logged.h), and docs/lab/pipeline.awk draws
 * them. docs/hopper.md */
#include <stdio.h>

#include "07_cuda/fp8/fp8_model.h"
#include "07_cuda/host/device.h"

rung_fn logged_pingpong;

int main(void)
{
    fp8_shape shape = {1, 1, 128, 4 * 176, 128, 4 * 176};
    rung_problem p = fp8_problem(&shape, 1, 17);
    int error = rung_on_device(logged_pingpong, &p, NULL);

    if (error)
        fprintf(stderr, "pipeline: %s\n", device_error(error));
    fp8_problem_free(&p);
    return error != 0;
}
