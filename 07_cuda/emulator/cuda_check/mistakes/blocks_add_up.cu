/* race on total: between blocks there is no barrier; atomicAdd is one way. */
__global__ void sum(const float *x, float *total)
{
    if (threadIdx.x == 0)
        *total += x[blockIdx.x]; // <- here
}

int main()
{
    float *x, *total;
    cudaMallocManaged(&x, 4 * sizeof(float));
    cudaMallocManaged(&total, sizeof(float));
    sum<<<4, 32>>>(x, total);
    return cudaGetLastError() != cudaSuccess;
}
