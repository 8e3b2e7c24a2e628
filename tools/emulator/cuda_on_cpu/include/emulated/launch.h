/* launch.h: kernel<<<grid, block, shared, stream>>>(args) is translated to
 * emu::kernel(kernel, "kernel")(grid, block, shared, stream)(args). */
#pragma once
#include <stddef.h>

#include "language.h"
#include "vectors.h"

typedef void *cudaStream_t;
#define cudaStreamLegacy    ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)

namespace emu
{
struct Launch {
    const char *kernel;   /* as written before <<< */
    const void *function; /* null if it is not known */
    const void *instance; /* differs between kernels with one name */
    Index grid, block;
    size_t shared_bytes; /* dynamic shared memory */
    cudaStream_t stream;
    Site site;
};

/* translate.py adds of_host where a device function uses a constant array of the
 * host, to which the compiler inserts no hooks. */
void host_table(const char *name);
template <class T>
inline __attribute__((always_inline)) T &of_host(T &table, const char *name)
{
    host_table(name);
    return table;
}

/* translate.py adds this call to kernels with __launch_bounds__. */
void launch_bounds(unsigned threads);

/* Runs call(arguments) for every thread, with a copy of the arguments. */
void launch(const Launch &what, void (*call)(void *), void *arguments,
            size_t bytes);

/* Bytes of the arguments of a kernel (CUDA allows 32764) and of its address. */
constexpr size_t max_argument_bytes = 32768 + 64;

template <class F, class... P>
void launch_with(const Launch &what, F f, P... arguments)
{
    auto body = [f, arguments...] { f(arguments...); };
    static_assert(sizeof body <= max_argument_bytes,
                  "a kernel has at most 32764 bytes of arguments");
    launch(
        what, [](void *b) { (*static_cast<decltype(body) *>(b))(); }, &body,
        sizeof body);
}

/* Returns a function that takes the sizes of a launch and returns bind(launch).
 * bind returns a function that takes the kernel's arguments. */
template <class Bind>
auto sized(const char *name, const void *function, const void *instance,
           Bind bind)
{
    return [=](dim3 grid, dim3 block, size_t shared_bytes = 0,
               cudaStream_t stream = nullptr, Site site = Site::here()) {
        return bind(Launch{name,
                           function,
                           instance,
                           {grid.x, grid.y, grid.z},
                           {block.x, block.y, block.z},
                           shared_bytes,
                           stream,
                           site});
    };
}

template <class... P> auto kernel(void (*f)(P...), const char *name)
{
    return sized(
        name, (const void *)f, (const void *)f, [=](const Launch &what) {
            return [=](P... arguments) { launch_with(what, f, arguments...); };
        });
}

template <class F> char instance_of; /* its address identifies F */

/* Like kernel(), for a kernel whose template parameters are deduced. */
template <class F> auto deduced(F call, const char *name)
{
    return sized(name, nullptr, &instance_of<F>, [=](const Launch &what) {
        return
            [=](auto... arguments) { launch_with(what, call, arguments...); };
    });
}

/* cuda-check calls these two: a macro of the user may have a parameter named
 * kernel. */
template <class... P> auto emu_kernel(void (*f)(P...), const char *name)
{
    return kernel(f, name);
}
template <class F> auto emu_deduced(F call, const char *name)
{
    return deduced(call, name);
}
} // namespace emu
