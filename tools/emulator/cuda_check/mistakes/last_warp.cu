/* race on s: the last warp of a sum needs __syncwarp since Volta. */
__global__ void sum(const float *x, float *total)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16]; // <- here
    }
    if (t == 0)
        *total = s[0];
}

int main()
{
    float *x, *total;
    cudaMallocManaged(&x, 64 * sizeof(float));
    cudaMalloc(&total, sizeof(float));
    sum<<<1, 64>>>(x, total);
    return cudaGetLastError() != cudaSuccess;
}
