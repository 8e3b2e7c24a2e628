/* gallery.cu: the emulator's gallery of planted mistakes, as nvcc made it, one at
 * a time: `gallery NAME` runs one, and fails if CUDA says an error or there is NaN
 * in its arrays; `gallery` names all, and where each is to be found. */
#include <cstdio>
#include <fstream>
#include <string>
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

/* Its name, in brackets, is in the last comment above. */
static std::string name_of(const Bug &bug, int *here)
{
    std::ifstream source(bug.file);
    std::string name, line;

    for (int n = 1; std::getline(source, line); n++) {
        if (n > bug.line && line.empty())
            break;
        if (line.compare(0, 4, "/* [") == 0)
            name = line.substr(4, line.find(']') - 4);
        if (line.find("// <- here") != line.npos)
            *here = n;
    }
    return name;
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
    int here = 0;

    for (const Bug &bug : bugs()) {
        std::string name = name_of(bug, &here);
        if (argc > 1 && name == argv[1])
            return shows(bug);
        if (argc < 2)
            printf("%s %s:%d\n", name.c_str(), bug.file, here);
    }
    return argc > 1;
}
