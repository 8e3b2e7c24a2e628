/* gallery.h: macros for planted bugs. In a .cu file of this folder a bug begins
 * with a comment: a name in brackets, the kind of finding, and the reason. The
 * code follows. "// <- here" marks the line that the finding must name. BUG
 * registers a statement, such as a launch. KERNEL defines a kernel and
 * registers its launch. gallery.cu reads and prints the source.
 *
 * Bugs of the kind "wrong numbers: b[0] should be ..." break no rule of CUDA.
 * The emulator reports nothing, and b[0] has another value. */
#pragma once
#include <cuda_runtime.h>

#include <vector>

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Two arrays of 256 zeros, allocated for each bug. */
struct Bench {
    float *a, *b;
};

struct Bug {
    const char *file;
    int line;
    void (*run)(const Bench &);
    static std::vector<Bug> &all()
    {
        static std::vector<Bug> bugs;
        return bugs;
    }
    Bug(const char *f, int l, void (*r)(const Bench &))
        : file(f), line(l), run(r)
    {
        all().push_back(*this);
    }
};

/* Returns n uninitialised floats of device memory. */
inline float *new_array(int n)
{
    float *p = nullptr;
    cudaMalloc(&p, n * sizeof *p);
    return p;
}

/* NAMED(bug, 12) is bug_12. */
#define NAMED(what, line)  NAMED_(what, line)
#define NAMED_(what, line) what##_##line

/* BUG(statement) registers a statement that gallery.cu executes. The line of
 * BUG identifies the comment above it. */
#define BUG(...)                                                               \
    static const Bug NAMED(bug, __LINE__)(                                     \
        __FILE__, __LINE__, [](const Bench &bench) { __VA_ARGS__; })

/* LAUNCH(caller, body, ...) is caller<body><<<...>>>. nvcc also compiles the
 * bugs, for the PTX interpreter. */
#ifdef __CUDACC__
#define LAUNCH(caller, body, ...) caller<body><<<__VA_ARGS__>>>
#else
#define LAUNCH(caller, body, ...) emu::kernel(caller<body>, #body)(__VA_ARGS__)
#endif

/* KERNEL(blocks, threads, bytes of dynamic shared memory) is followed by a
 * kernel's body. In it a and b are Bench's arrays, and t is threadIdx.x. */
#define KERNEL(...) KERNEL_OF(NAMED(kernel, __LINE__), __VA_ARGS__)
#define KERNEL_OF(body, ...)                                                   \
    static __device__ void body(float *a, float *b, int t);                    \
    BUG(LAUNCH(with_thread, body, __VA_ARGS__)(bench.a, bench.b));             \
    static __device__ void body(float *a, float *b, int t)

template <void (*body)(float *, float *, int)>
__global__ void with_thread(float *a, float *b)
{
    body(a, b, threadIdx.x);
}
