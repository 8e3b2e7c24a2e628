/* Writes .npy files by temporary files, which are then renamed (npy.h). */
#define _XOPEN_SOURCE 700 /* realpath */

#include "common/npy/npy.h"

#include "common/print/outside.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes format version 1. The data begins at a multiple of 64 bytes. */
static void put_array(FILE *file, const npy_array *array)
{
    char shape[NPY_SHAPE_MAX], text[256];
    int n =
        sprintf(text, "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }",
                npy_shape_text(array, shape));
    int width = (n + 10) / 64 * 64 + 64 - 10;

    fprintf(file, "\x93NUMPY%c%c%c%c%*s\n", 1, 0, width, 0, 1 - width, text);
    for (size_t i = 0; i < array->size && !ferror(file); i++) {
        uint32_t bits = bits_of(array->data[i]);

        for (int k = 0; k < 4; k++)
            fputc((unsigned char)(bits >> 8 * k), file);
    }
}

typedef struct {
    char target[PATH_MAX]; /* the path without symbolic links */
    char temporary[PATH_MAX + 40];
    FILE *file;
} replacement;

static int begin(replacement *r, const char *path)
{
    char target[PATH_MAX];
    struct stat old;
    bool exists = stat(path, &old) == 0;

    r->file = NULL;
    if (exists && !S_ISREG(old.st_mode))
        return refused(1, path, "cannot write: it is not a regular file");
    if (exists && access(path, W_OK) != 0)
        return refused(1, path, "cannot write: %s", strerror(errno));
    if (!exists || !realpath(path, target))
        snprintf(target, sizeof target, "%s", path);
    strcpy(r->target, target);
    snprintf(r->temporary, sizeof r->temporary, "%s.%ld.part", target,
             (long)getpid());
    r->file = *path ? fopen(r->temporary, "wbx") : NULL; /* x: must not exist */
    if (!r->file)
        return refused(1, path, "cannot write: %s",
                       strerror(*path ? errno : ENOENT));
    if (exists)
        fchmod(fileno(r->file), old.st_mode & 0777);
    return 0;
}

/* Flushes and closes the file. True if everything was written. */
static bool finish(FILE *file)
{
    bool complete = !ferror(file) && fflush(file) == 0;

    return fclose(file) == 0 && complete;
}

int npy_write_all(size_t n, const char *const paths[],
                  const npy_array *const arrays[])
{
    replacement all[FILES_TOGETHER];
    size_t begun = 0;
    int failed = 0;

    for (; begun < n && !failed; begun += !failed)
        failed = begin(&all[begun], paths[begun]);
    for (size_t k = 0; k < begun; k++) {
        if (arrays && !failed)
            put_array(all[k].file, arrays[k]);
        if (!finish(all[k].file) && !failed)
            failed = refused(1, paths[k], "cannot write: %s", strerror(errno));
    }
    for (size_t k = 0; k < begun && arrays && !failed; k++)
        if (rename(all[k].temporary, all[k].target) != 0)
            failed = refused(1, paths[k], "cannot write: %s", strerror(errno));
    for (size_t k = 0; k < begun; k++)
        remove(all[k].temporary); /* fails if it was renamed */
    return failed;
}
