/* gallery.h: how a planted bug is written down. In a .cu file of this folder, a
 * comment gives its name, the kind of finding to be reported, and why; the
 * kernel follows, with "// <- here" on the line that must be named. BUG runs
 * it; or KERNEL begins one, and runs it too. Where the kind is "wrong numbers:
 * b[0] should be ...", no rule of the machine is broken and nothing is
 * reported, but b[0] is something else. gallery.cu reads all that from the
 * source and shows it. */
#pragma once
#include <cuda_runtime.h>

/* No bug uses all that it is given. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* What a bug may use: two arrays of 256 floats, all 0, new for each bug. */
struct Bench {
    float *a, *b;
};

struct Bug {
    const char *file;
    int line;
    void (*run)(const Bench &);
    Bug(const char *f, int l, void (*r)(const Bench &));
};

/* n uninitialised floats of the device. */
float *new_array(int n);

/* NAMED(bug, 12) is bug_12. */
#define NAMED(what, line)  NAMED_(what, line)
#define NAMED_(what, line) what##_##line

/* BUG(what is run): the comment above it is found by its line. */
#define BUG(...)                                                               \
    static const Bug NAMED(bug, __LINE__)(                                     \
        __FILE__, __LINE__, [](const Bench &bench) { __VA_ARGS__; })

/* caller<body><<<...>>>: nvcc compiles the bugs too (for the PTX
 * interpreter). */
#ifdef __CUDACC__
#define LAUNCH(caller, body, ...) caller<body><<<__VA_ARGS__>>>
#else
#define LAUNCH(caller, body, ...) emu::kernel(caller<body>, #body)(__VA_ARGS__)
#endif

/* KERNEL(blocks, threads, bytes of dynamic shared memory): the body of a kernel
 * of the arrays a and b follows; t is threadIdx.x. */
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
