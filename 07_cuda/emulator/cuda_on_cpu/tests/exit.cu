/* exit.cu: races, or does not read an error, by its argument; main returns 0.
 * What the process then ends with is looked at by test_exit.sh. */
#include <cuda_runtime.h>

__global__ void shift(float *a, int by)
{
    int t = threadIdx.x;
    a[t] = a[(t + by) % 64];
}

int main(int argc, char **argv)
{
    float *a = nullptr;
    cudaMalloc(&a, 64 * sizeof *a);
    cudaMemset(a, 0, 64 * sizeof *a);
    shift<<<1, 64>>>(a, argc > 1 && !strcmp(argv[1], "race"));
    if (argc > 1 && !strcmp(argv[1], "unchecked")) {
        shift<<<1, 0>>>(a, 0);
        return 0;
    }
    return cudaGetLastError() != cudaSuccess;
}
