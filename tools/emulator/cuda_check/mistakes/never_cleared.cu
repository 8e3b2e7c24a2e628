/* uninitialised: cudaMalloc does not clear the memory. */
__global__ void count(const int *x, int *histogram)
{
    atomicAdd(&histogram[x[threadIdx.x] % 8], 1); // <- here
}

int main()
{
    int *x, *histogram;
    cudaMallocManaged(&x, 64 * sizeof(int));
    cudaMalloc(&histogram, 8 * sizeof(int));
    count<<<1, 64>>>(x, histogram);
    return cudaGetLastError() != cudaSuccess;
}
