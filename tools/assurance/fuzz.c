/* A libFuzzer test of the reader of .npy files. */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/npy/npy.h"

/* True if the reader refuses a file of these bytes. Else checks the array. */
static bool refuses(const unsigned char *data, size_t size)
{
    int file = memfd_create("fuzz", 0);
    /* Elements of other types than FP32 are compared only in test_npy. */
    precision type = (precision)(size % 3);
    size_t n = sizeof(float);
    char path[64];
    npy_array a;
    bool refused;

    assert(write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    refused = npy_read_as(type, path, &a) != 0;
    close(file);
    for (size_t k = 0; !refused && k < a.dims; k++)
        n *= a.shape[k];
    assert(!refused || !a.data);
    if (!refused && type == FP32)
        assert(n <= size && !memcmp(a.data, data + size - n, n));
    npy_free(&a);
    return refused;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    FILE *was = stderr;
    char *message, *end;
    size_t length;
    bool refused;

    if (!(stderr = open_memstream(&message, &length)))
        return 0;
    refused = refuses(data, size);
    fclose(stderr);
    stderr = was;
    end = strchr(message, '\n');
    if (refused ? !end || end[1] : end != NULL)
        fprintf(stderr, "fuzz: the reader printed (allowed: %s): %s\n",
                refused ? "one line" : "no line", message),
            abort();
    free(message);
    return 0;
}
