/* launch.h: what kernel<<<grid, block, shared, stream>>>(args) becomes:
 * emu::kernel(kernel, "kernel")(grid, block, shared, stream)(args). */
#pragma once
#include <stddef.h>

#include "language.h"
#include "vectors.h"

typedef void *cudaStream_t;

namespace emu
{
struct Launch {
    const char *kernel; /* as written before <<< */
    const void *function;
    Index grid, block;
    size_t shared_bytes; /* dynamic shared memory */
    Site site;
};

/* Runs call(arguments) once for every thread of the grid. The arguments are
 * copied first, as a GPU does. */
void launch(const Launch &what, void (*call)(void *), void *arguments,
            size_t bytes);

inline Launch launch_of(const char *kernel, const void *function, dim3 grid,
                        dim3 block, size_t shared_bytes, Site site)
{
    return {kernel,
            function,
            {grid.x, grid.y, grid.z},
            {block.x, block.y, block.z},
            shared_bytes,
            site};
}

template <class F> void launch_body(const Launch &what, F body)
{
    launch(
        what, [](void *b) { (*static_cast<F *>(b))(); }, &body, sizeof body);
}

template <class... P> struct Configured {
    void (*function)(P...);
    Launch what;

    void operator()(P... arguments) const
    {
        launch_body(what, [f = function, arguments...] { f(arguments...); });
    }
};

template <class... P> struct Kernel {
    void (*function)(P...);
    const char *name;

    Configured<P...> operator()(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                cudaStream_t = nullptr,
                                Site site = Site::here()) const
    {
        return {function, launch_of(name, (const void *)function, grid, block,
                                    shared_bytes, site)};
    }
};

/* A template whose last parameters follow from the arguments has no address
 * before they are there: `call` is a lambda that calls it. */
template <class F> struct Deduced {
    F call;
    Launch what;

    template <class... P> void operator()(P... arguments) const
    {
        launch_body(what, [f = call, arguments...] { f(arguments...); });
    }
};
template <class F> struct Template {
    F call;
    const char *name;

    Deduced<F> operator()(dim3 grid, dim3 block, size_t shared_bytes = 0,
                          cudaStream_t = nullptr,
                          Site site = Site::here()) const
    {
        return {call,
                launch_of(name, nullptr, grid, block, shared_bytes, site)};
    }
};
template <class F> Template<F> deduced(F call, const char *name)
{
    return {call, name};
}

template <class... P>
Kernel<P...> kernel(void (*function)(P...), const char *name)
{
    return {function, name};
}
} // namespace emu
