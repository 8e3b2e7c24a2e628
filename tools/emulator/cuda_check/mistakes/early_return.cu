/* barrier: threads without a row return, and the others wait for them. */
__global__ void rows(float *x, int n)
{
    __shared__ float s[64];
    if (threadIdx.x >= n)
        return;
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads(); // <- here
    x[threadIdx.x] = s[n - 1 - threadIdx.x];
}

int main()
{
    float *x;
    cudaMallocManaged(&x, 64 * sizeof(float));
    rows<<<1, 64>>>(x, 40);
    return cudaGetLastError() != cudaSuccess;
}
