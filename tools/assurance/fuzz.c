/*
 * libFuzzer makes up a file for the reader of arrays, or with FUZZ=options a
 * command line of chapters 04 to 06, each word on its line. What is refused is
 * refused in one line; an array that is read is what the file ends with.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/npy/npy.h"
#include "common/program/attention_program.h"

static bool refuses_array(const unsigned char *data, size_t size)
{
    int file = memfd_create("fuzz", 0);
    size_t n = sizeof(float);
    char path[64];
    npy_array a;
    bool refused;

    assert(write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    refused = npy_read(path, &a) != 0;
    close(file);
    for (size_t k = 0; !refused && k < a.dims; k++)
        n *= a.shape[k];
    assert(refused ? !a.data
                   : n <= size && !memcmp(a.data, data + size - n, n));
    npy_free(&a);
    return refused;
}

static int none(const attention_step *step, const gradients heads[], size_t n,
                memory *mem)
{
    (void)step, (void)heads, (void)n;
    return mem->error;
}

static bool refuses_options(char *words)
{
    static const attention_step own[] = {{.name = "flash2"}, {0}};
    static const attention_step own_back[] = {
        {.name = "flash2", .back_heads = none}, {0}};
    static const way forward = {.own = own}, back = {.own = own_back};
    char *argv[64] = {"./run"};
    request r;
    int argc = 1, status = -1;

    while (words && argc < 63)
        argv[argc++] = strsep(&words, "\n");
    if (request_read(&r, asks_backward(argc, argv) ? &back : &forward, argc,
                     argv, &status)) {
        assert(r.sizes.d > 0 && r.M > 0 && r.step < MOST_STEPS);
        return false;
    }
    assert(status >= 0 && status <= 2); /* 1: the outputs cannot be written */
    return status != 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    FILE *was = stderr;
    char words[4097] = "", *said, *end;
    size_t length;
    bool refused;

    if (size >= sizeof words || !(stderr = open_memstream(&said, &length)))
        return 0;
    memcpy(words, data, size);
    refused = strcmp(getenv("FUZZ"), "options") ? refuses_array(data, size)
                                                : refuses_options(words);
    fclose(stderr);
    stderr = was;
    end = strchr(said, '\n');
    if (refused ? !end || end[1] : end != NULL)
        fprintf(stderr, "said: %s\n", said), abort();
    free(said);
    return 0;
}
