/* out of bounds: the grid is rounded up to whole blocks, the array is not. */
__global__ void twice(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = 2 * x[i]; // <- here
}

int main()
{
    float *x;
    cudaMallocManaged(&x, 100 * sizeof(float));
    twice<<<2, 64>>>(x, 100);
    return cudaGetLastError() != cudaSuccess;
}
