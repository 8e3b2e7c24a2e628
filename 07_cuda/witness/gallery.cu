/* gallery.cu: the emulator's gallery of planted mistakes, as nvcc made it, one at
 * a time: `gallery FILE FIRST END` runs the one that stands there in a file, and
 * fails if CUDA says an error or there is NaN in its arrays. */
#include <cstdlib>
#include <cstring>
#include <vector>

#include "07_cuda/cuda_on_cpu/bugs/gallery.h"

static std::vector<Bug> &bugs()
{
    static std::vector<Bug> all;
    return all;
}

Bug::Bug(const char *f, int l, void (*r)(const Bench &))
    : file(f), line(l), run(r)
{
    bugs().push_back(*this);
}

float *new_array(int n)
{
    float *p = nullptr;
    cudaMalloc(&p, n * sizeof *p);
    return p;
}

static bool shows(const Bug &bug)
{
    float *a[2], got[256];
    int bad = 0;

    for (float *&p : a) {
        cudaMalloc(&p, sizeof got);
        cudaMemset(p, 0, sizeof got);
    }
    bug.run({a[0], a[1]});
    bad += cudaDeviceSynchronize() != cudaSuccess;
    for (float *p : a) {
        cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost);
        for (float x : got)
            bad += x != x;
    }
    return bad;
}

int main(int argc, char *argv[])
{
    for (const Bug &bug : bugs())
        if (argc > 3 && !strcmp(argv[1], bug.file) &&
            bug.line >= atoi(argv[2]) && bug.line < atoi(argv[3]))
            return shows(bug);
    return 2;
}
