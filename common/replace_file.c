/*
 * Replacing a file in one step (replace_file.h).
 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "common/replace_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int give_up(replacement *r, const char *why)
{
    fprintf(stderr, "%s: cannot write: %s\n", r->path, why);
    free(r->target);
    free(r->temporary);
    return 1;
}

/* Without this, /dev/stdout itself could be renamed away. */
static char *follow_links(const char *path)
{
    struct stat s;

    if (lstat(path, &s) == 0)
        return realpath(path, NULL);
    return errno == ENOENT ? strdup(path) : NULL;
}

/* A name beside the target that nobody else has; errno if there is none. */
static FILE *create_temporary(replacement *r)
{
    size_t capacity = strlen(r->target) + 40;
    FILE *file = NULL;

    r->temporary = malloc(capacity);
    for (int k = 0; r->temporary && !file && k < 100; k++) {
        snprintf(r->temporary, capacity, "%s.%ld.%d.part", r->target,
                 (long)getpid(), k);
        file = fopen(r->temporary, "wbx"); /* x: fail if it exists */
        if (!file && errno != EEXIST)
            break;
    }
    return file;
}

int replace_begin(replacement *r, const char *path)
{
    struct stat old;
    bool exists;

    *r = (replacement){.path = path};
    exists = stat(path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode))
        return give_up(r, "it is a directory");
    if (exists && !S_ISREG(old.st_mode))
        return give_up(r, "it is not a regular file");
    if (exists && access(path, W_OK) != 0)
        return give_up(r, strerror(errno));

    r->target = follow_links(path);
    if (!r->target)
        return give_up(r, strerror(errno));
    r->file = create_temporary(r);
    if (!r->file)
        return give_up(r, strerror(errno));
    if (exists)
        fchmod(fileno(r->file), old.st_mode & 0777);
    return 0;
}

int replace_end(replacement *r)
{
    bool written = !ferror(r->file);

    written = fclose(r->file) == 0 && written;
    if (!written || rename(r->temporary, r->target) != 0) {
        int why = errno;

        unlink(r->temporary);
        return give_up(r, strerror(why));
    }
    free(r->target);
    free(r->temporary);
    return 0;
}

void replace_cancel(replacement *r)
{
    fclose(r->file);
    unlink(r->temporary);
    free(r->target);
    free(r->temporary);
}

int replace_end_both(replacement *a, replacement *b)
{
    /* What is flushed has its place on the disk: renaming needs no more. */
    bool a_written = fflush(a->file) == 0 && !ferror(a->file);
    bool b_written = fflush(b->file) == 0 && !ferror(b->file);

    if (!b_written) {
        replace_cancel(a);
        return replace_end(b);
    }
    if (!a_written) {
        replace_cancel(b);
        return replace_end(a);
    }
    if (replace_end(a) != 0) {
        replace_cancel(b);
        return 1;
    }
    return replace_end(b);
}
