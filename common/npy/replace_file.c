/*
 * Replacing a file in one step (replace_file.h).
 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "common/npy/replace_file.h"

#include "common/npy/temporary.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void release(replacement *r)
{
    if (r->temporary)
        temporary_forget(r->temporary);
    free(r->target);
    free(r->temporary);
}

static int give_up(replacement *r, const char *why)
{
    fprintf(stderr, "%s: cannot write: %s\n", r->path, why);
    release(r);
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
    r->file = temporary_create(r->target, &r->temporary);
    if (!r->file)
        return give_up(r, strerror(errno));
    if (exists)
        fchmod(fileno(r->file), old.st_mode & 0777);
    return 0;
}

/* Each returns 0, or errno. */
static int close_all(replacement *r)
{
    bool written = !ferror(r->file);

    written = fclose(r->file) == 0 && written;
    return written ? 0 : errno;
}

static int put_in_place(const replacement *r)
{
    return rename(r->temporary, r->target) == 0 ? 0 : errno;
}

/* Of one that is closed. */
static int remove_temporary(replacement *r)
{
    int failed = unlink(r->temporary) != 0;

    if (failed)
        fprintf(stderr, "%s: cannot remove: %s\n", r->temporary,
                strerror(errno));
    release(r);
    return failed;
}

/* The same, because of why; what else is to be known of it. */
static int fail(replacement *r, int why, const char *besides)
{
    fprintf(stderr, "%s: cannot write: %s%s\n", r->path, strerror(why),
            besides);
    remove_temporary(r);
    return 1;
}

int replace_end(replacement *r)
{
    int why = close_all(r);

    why = why ? why : put_in_place(r);
    if (why)
        return fail(r, why, "");
    release(r);
    return 0;
}

int replace_cancel(replacement *r)
{
    fclose(r->file);
    return remove_temporary(r);
}

int replace_end_both(replacement *a, replacement *b)
{
    int why_a = close_all(a), why_b = close_all(b);

    if (!why_a && !why_b)
        why_a = put_in_place(a);
    if (why_a || why_b) {
        remove_temporary(why_a ? b : a);
        return why_a ? fail(a, why_a, "") : fail(b, why_b, "");
    }
    release(a);
    why_b = put_in_place(b);
    if (why_b)
        return fail(b, why_b, " (the other file is written already)");
    release(b);
    return 0;
}
