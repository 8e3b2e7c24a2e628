/* gallery.cu: runs the planted mistakes of the emulator's gallery, compiled by
 * nvcc. `gallery FILE FIRST END` runs the mistake in lines FIRST to END - 1 of
 * a file. The exit status is 1 if CUDA reports an error or an array contains a
 * NaN, and 2 without such a mistake. `gallery` runs a correct kernel with
 * features that no rung uses. The exit status is 1 if the result is wrong. */
#include <cstdlib>
#include <cstring>

#include "tools/emulator/cuda_on_cpu/bugs/gallery.h"

static bool shows(const Bug &bug)
{
    float *a[2], got[256];
    int bad = 0;

    for (float *&p : a) {
        cudaMalloc(&p, sizeof got);
        cudaMemset(p, 0, sizeof got);
    }
    bug.run({a[0], a[1]});
    bad += cudaDeviceSynchronize() != cudaSuccess;
    for (float *p : a) {
        cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost);
        for (float x : got)
            bad += x != x;
    }
    return bad;
}

/* The array `own` has a run-time index, so it is in local memory. cp.async
 * copies 2 bytes of a word and sets the other 2 to 0. The last warp exits
 * while the others wait at the barrier. */
__constant__ float weights[4] = {1, 10, 100, 1000};

__global__ void local_memory(float *out, int n)
{
    __shared__ unsigned word[256];
    float own[8];
    int t = threadIdx.x;
    unsigned at = (unsigned)__cvta_generic_to_shared(&word[t]);
    float *any = n > 7 ? out : own;

    for (int i = 0; i < 8; i++)
        own[(i + n) % 8] = 8 * t + i;
    any[t % 8] += weights[t % 4];
    out[t] = own[t % 8] - own[(t + 1) % 8];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, 2;\n"
                 "cp.async.commit_group;\n"
                 "cp.async.wait_group 0;" ::"r"(at),
                 "l"(out + t)
                 : "memory");
    if (t < 224)
        __syncthreads();
    out[t] += word[t] >> 16;
}

static bool right()
{
    float *a = new_array(256), got[256], weight[4] = {1, 10, 100, 1000};
    int n = 3, bad = 0;

    local_memory<<<1, 256>>>(a, n);
    bad += cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 256; t++)
        bad += got[t] != weight[t % 4] + (t + 8 - n) % 8 - (t + 9 - n) % 8;
    return !bad;
}

int main(int argc, char *argv[])
{
    if (argc == 1)
        return !right();
    for (const Bug &bug : Bug::all())
        if (argc > 3 && !strcmp(argv[1], bug.file) &&
            bug.line >= atoi(argv[2]) && bug.line < atoi(argv[3]))
            return shows(bug);
    return 2;
}
