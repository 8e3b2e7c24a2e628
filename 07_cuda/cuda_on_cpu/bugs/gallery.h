/* gallery.h: how a planted bug is written down. In a .cu file of this folder,
 * a comment gives its name, the kind of finding that must be told, and why;
 * the kernel follows, with "// <- here" on the line that must be named; BUG
 * runs it. Where the kind is "wrong numbers", no rule of the machine is broken,
 * nothing is told, and the result is not what it should be. gallery.cu reads
 * all that from the source and shows it. */
#pragma once
#include <cuda_runtime.h>

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

/* What *device, on the device, would be without the bug. */
void should_be(const float *device, float right);

/* n floats of the device that nobody has written. */
float *new_array(int n);

/* BUG(what is run): the comment above it is found by its line. */
#define BUG(...)        BUG_AT(__LINE__, __VA_ARGS__)
#define BUG_AT(at, ...) BUG_AT_(at, __VA_ARGS__)
#define BUG_AT_(at, ...)                                                       \
    static const Bug bug_##at(                                                 \
        __FILE__, at,                                                          \
        []([[maybe_unused]] const Bench &bench) { __VA_ARGS__; })
