/*
 * Every rung 100 times on the same inputs: the outputs must be equal, bit for
 * bit. A race would show sooner or later. `repeat small` runs each once, on
 * ragged shapes, for compute-sanitizer.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <vector>

#include "device.h"
#include "timing.h"

/* O and L as bytes, or an error. */
static int outputs(const rung_problem *p, std::vector<char> *bytes)
{
    void *at[ARRAYS];
    size_t size[ARRAYS];
    int error;

    rung_arrays(p, at, size);
    bytes->resize(size[O_OUT] + size[L_OUT]);
    error = cudaMemcpy(bytes->data(), at[O_OUT], size[O_OUT],
                       cudaMemcpyDeviceToHost);
    if (!error)
        error = cudaMemcpy(bytes->data() + size[O_OUT], at[L_OUT], size[L_OUT],
                           cudaMemcpyDeviceToHost);
    return error;
}

/* Runs it that often; prints and returns 1 if not all are equal. */
static int repeat(const rung *r, precision type, int N, int d, int causal,
                  int times)
{
    std::vector<char> first, now;
    rung_problem p;
    int error = problem_random(&p, type, 6, N, d, causal);

    for (int k = 0; k < times && !error; k++) {
        error = r->run(&p);
        if (!error)
            error = outputs(&p, k ? &now : &first);
        if (!error && k && memcmp(now.data(), first.data(), now.size())) {
            printf("%s, %s, N %d, d %d: run %d differs from run 0\n", r->name,
                   precision_name(type), N, d, k);
            problem_free(&p);
            return 1;
        }
    }
    problem_free(&p);
    if (error)
        printf("%s: %s\n", r->name, device_error(error));
    return error ? 1 : 0;
}

int main(int argc, char **argv)
{
    bool small = argc > 1 && !strcmp(argv[1], "small");
    int differ = 0, runs = 0;

    for (int k = 0; k < RUNGS; k++)
        for (int d = 64; d <= 128; d += 64)
            for (int causal = 0; causal < 2; causal++)
                for (int fp16 = 0; fp16 < (ladder[k].type != FP32) + 1;
                     fp16++) {
                    precision type = ladder[k].type == FP32 ? FP32
                                     : fp16                 ? FP16
                                                            : BF16;

                    differ += repeat(&ladder[k], type, small ? 150 : 1000, d,
                                     causal, small ? 1 : 100);
                    runs++;
                }
    printf("%d kernels run %s, %d not equal\n", runs,
           small ? "once" : "100 times", differ);
    return differ != 0;
}
