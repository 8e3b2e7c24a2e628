/* check.h: macros and functions for the emulator's tests. */
#pragma once
#include <cuda_runtime.h>

#include <string.h>

#include <vector>

#include <cuda_on_cpu.h>

struct Test {
    const char *name;
    void (*run)();
    static std::vector<Test> &all()
    {
        static std::vector<Test> tests;
        return tests;
    }
    Test(const char *n, void (*r)()) : name(n), run(r)
    {
        all().push_back(*this);
    }
};

inline int failed_checks;

#define TEST(name)                                                             \
    static void name();                                                        \
    static const Test test_##name(#name, name);                                \
    static void name()

/* QUIET_KERNEL(name, blocks, threads) is followed by the body of a kernel that
 * must have no findings. a is an array of 256 zeros, and t is threadIdx.x. */
#define QUIET_KERNEL(name, blocks, threads)                                    \
    static void name##_body(float *a, int t);                                  \
    TEST(name)                                                                 \
    {                                                                          \
        emu::kernel(with_thread<name##_body>,                                  \
                    #name)(blocks, threads)(device<float>(256));               \
    }                                                                          \
    static void name##_body(float *a, int t)

template <void (*body)(float *, int)> __global__ void with_thread(float *a)
{
    body(a, threadIdx.x);
}

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);     \
            failed_checks++;                                                   \
        }                                                                      \
    } while (0)

#define CHECK_EQUAL(got, want)                                                 \
    do {                                                                       \
        unsigned long long g = (got), w = (want);                              \
        if (g != w) {                                                          \
            printf("%s:%d: %s is %llu, not %llu\n", __FILE__, __LINE__, #got,  \
                   g, w);                                                      \
            failed_checks++;                                                   \
        }                                                                      \
    } while (0)

/* Returns n elements of device memory, with the values of `host`, or zeros. */
template <class T> T *device(size_t n, const T *host = nullptr)
{
    T *p = nullptr;
    cudaMalloc(&p, n * sizeof(T));
    if (host)
        cudaMemcpy(p, host, n * sizeof(T), cudaMemcpyHostToDevice);
    else
        cudaMemset(p, 0, n * sizeof(T));
    return p;
}

template <class T> std::vector<T> host(const T *p, size_t n)
{
    std::vector<T> v(n);
    cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
}

/* True if there are no findings. Otherwise prints and removes them. */
inline bool nothing_found()
{
    size_t n = cuda_on_cpu_findings();
    for (size_t i = 0; i < n; i++) {
        cuda_finding f = cuda_on_cpu_finding(i);
        printf("  %s:%d: %s: %s\n", f.file, f.line, f.kind, f.text);
    }
    cuda_on_cpu_forgive();
    return n == 0;
}

/* Runs every test with each effort in from .. to. Returns the exit status. */
inline int run_tests(const char *program, cuda_effort from = CUDA_CHECK,
                     cuda_effort to = CUDA_CHECK)
{
    int failed = 0, ran = 0;
    cuda_on_cpu_print_findings(0);
    for (int effort = from; effort <= to; effort++)
        for (const Test &t : Test::all()) {
            failed_checks = 0;
            cuda_on_cpu_set_effort((cuda_effort)effort);
            t.run();
            CHECK(cudaGetLastError() == cudaSuccess);
            CHECK(nothing_found());
            if (failed_checks)
                printf("FAILED %s, effort %d\n", t.name, effort);
            failed += failed_checks != 0;
            ran++;
        }
    printf("%s: %d passed, %d failed\n", program, ran - failed, failed);
    return failed != 0;
}
