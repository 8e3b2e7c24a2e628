/* out of bounds: a kernel cannot access memory of the host. */
__global__ void fill(float *x)
{
    x[threadIdx.x] = 1; // <- here
}

int main()
{
    float *x = (float *)malloc(64 * sizeof(float));
    fill<<<1, 64>>>(x);
    return cudaDeviceSynchronize() != cudaSuccess;
}
