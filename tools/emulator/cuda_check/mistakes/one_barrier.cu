/* race on tile: a loop over tiles needs two barriers per iteration. */
__global__ void sums(const float *x, float *sum)
{
    __shared__ float tile[64];
    int t = threadIdx.x;
    float mine = 0;
    for (int j = 0; j < 3; j++) {
        tile[t] = x[64 * j + t]; // <- here
        __syncthreads();
        for (int k = 0; k < 64; k++)
            mine += tile[k];
    }
    sum[t] = mine;
}

int main()
{
    float *x, *sum;
    cudaMallocManaged(&x, 192 * sizeof(float));
    cudaMalloc(&sum, 64 * sizeof(float));
    sums<<<1, 64>>>(x, sum);
    return cudaGetLastError() != cudaSuccess;
}
