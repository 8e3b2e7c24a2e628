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

template <class F, class... P>
void launch_with(const Launch &what, F f, P... arguments)
{
    auto body = [f, arguments...] { f(arguments...); };
    launch(
        what, [](void *b) { (*static_cast<decltype(body) *>(b))(); }, &body,
        sizeof body);
}

/* What a launch with its sizes is: it waits for the arguments. */
template <class F, class... P> struct Configured {
    F call;
    Launch what;

    void operator()(P... arguments) const
    {
        launch_with(what, call, arguments...);
    }
};

/* A template whose last parameters follow from the arguments has no address
 * and no types before they are there: `call` is a lambda that calls it. */
template <class F> struct Configured<F> {
    F call;
    Launch what;

    template <class... P> void operator()(P... arguments) const
    {
        launch_with(what, call, arguments...);
    }
};

template <class F, class... P> struct Kernel {
    F call;
    const char *name;
    const void *function;

    Configured<F, P...> operator()(dim3 grid, dim3 block,
                                   size_t shared_bytes = 0,
                                   cudaStream_t = nullptr,
                                   Site site = Site::here()) const
    {
        return {call,
                {name,
                 function,
                 {grid.x, grid.y, grid.z},
                 {block.x, block.y, block.z},
                 shared_bytes,
                 site}};
    }
};

template <class... P>
Kernel<void (*)(P...), P...> kernel(void (*f)(P...), const char *name)
{
    return {f, name, (const void *)f};
}
template <class F> Kernel<F> deduced(F call, const char *name)
{
    return {call, name, nullptr};
}
} // namespace emu
