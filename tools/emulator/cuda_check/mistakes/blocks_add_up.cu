/* race on total: there is no barrier between blocks; use atomicAdd. */
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
