/* exit.cu: a program whose exit status test_exit.sh checks. With the argument
 * `race` its kernel has a race, with `silent` a race that is not printed. With
 * `unchecked` it does not read the error of a launch, with `misaligned`
 * cudaDeviceSynchronize does. With `exact` it exits with 1 if e^1 is not exact.
 * With `leave` half of a warp returns before the last shuffle. With `deep` the
 * last thread overflows its stack. With `endless` the limit of time must end two
 * launches. With `null` the host reads address 0. */
#include <cuda_runtime.h>

#include <cuda_on_cpu.h>

__global__ void shift(float *a, int by)
{
    int t = threadIdx.x;
    a[t] = a[(t + by) % 64];
}

__global__ void half_leaves(float *a)
{
    int t = threadIdx.x;
    a[t] = __shfl_sync(0xffffffffu, a[t], 0);
    if (t >= 16)
        return;
    __syncwarp();
    a[t] = __shfl_sync(0xffffffffu, a[t], 1);
}

__device__ int sum_to(int n)
{
    volatile int room[256];
    room[n % 256] = n;
    return n ? sum_to(n - 1) + room[n % 256] : 0;
}

__global__ void last_is_deep(float *a)
{
    a[threadIdx.x] = (float)sum_to(threadIdx.x == 3 ? 1500 : 1);
}

__global__ void never_ends(float *a)
{
    unsigned i = (unsigned)a[0]; /* no square ends with the bits 10 */
    while (i * i != 2)
        i++;
    a[1] = (float)i;
}

bool both_are_ended(float *a)
{
    for (int n = 0; n < 2; n++) {
        never_ends<<<1, 1>>>(a);
        if (cudaGetLastError() != cudaErrorLaunchTimeout)
            return false;
        cuda_on_cpu_forgive();
    }
    return true;
}

int main(int argc, char **argv)
{
    float *a = nullptr;
    const char *how = argc > 1 ? argv[1] : "";
    bool silent = !strcmp(how, "silent");
    cuda_on_cpu_print_findings(!silent);
    cudaMalloc(&a, 64 * sizeof *a);
    cudaMemset(a, 0, 64 * sizeof *a);
    shift<<<1, 64>>>(a, silent || !strcmp(how, "race"));
    puts("the kernel has run");
    if (!strcmp(how, "unchecked")) {
        shift<<<1, 0>>>(a, 0);
        cudaDeviceSynchronize(); /* it does not read this error */
        return 0;
    }
    if (!strcmp(how, "misaligned")) {
        shift<<<1, 64>>>((float *)((char *)a + 1), 0);
        return cudaDeviceSynchronize() != cudaErrorMisalignedAddress;
    }
    if (!strcmp(how, "leave"))
        half_leaves<<<1, 32>>>(a);
    if (!strcmp(how, "endless"))
        return !both_are_ended(a);
    if (!strcmp(how, "null"))
        return *(volatile int *)nullptr;
    if (!strcmp(how, "deep"))
        last_is_deep<<<1, 4>>>(a);
    if (!strcmp(how, "exact"))
        return __expf(1) != expf(1);
    return cudaGetLastError() != cudaSuccess;
}
