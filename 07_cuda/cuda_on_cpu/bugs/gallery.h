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
    const char *name, *file;
    void (*run)(const Bench &);
    Bug(const char *n, const char *f, void (*r)(const Bench &));
};

/* What *device, on the device, would be without the bug. */
void should_be(const float *device, float right);

#define BUG(name)                                                              \
    static void run_##name(const Bench &);                                     \
    static const Bug bug_##name(#name, __FILE__, run_##name);                  \
    static void run_##name([[maybe_unused]] const Bench &bench)
