/*
 * Writing a file so that its name never means half of it: all goes to a
 * temporary file beside it, PATH.0.part, which takes the place of the old file
 * in one step when everything is written.
 *
 *     if (replace_begin(&r, path) != 0)
 *         return 1;
 *     fprintf(r.file, ...);          no error need be looked at here
 *     return replace_end(&r, 1, 0);
 */
#ifndef COMMON_REPLACE_FILE_H
#define COMMON_REPLACE_FILE_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

typedef struct replacement {
    FILE *file; /* to be written to */
    const char *path;
    char target[PATH_MAX], temporary[PATH_MAX + 20]; /* where links lead */
    struct replacement *next;
} replacement;

/*
 * Path may hold nothing yet, a regular file that may be written, or links to
 * one, which stay. A new file gets the permissions of any new file (umask), an
 * old one keeps its own. Anything else is refused, and names that end in .part,
 * which are for temporary files. Returns 0, or 1 after one line on stderr. Path
 * is kept, not copied, and *r stays where it is until the end.
 */
int replace_begin(replacement *r, const char *path);

/*
 * The end of n files that belong together. If the caller's work has failed, or
 * one file cannot be written, all are as they were; else all are new. A signal
 * finds them so, too. Returns failed, or 1 after one line on stderr. One thing
 * the line can only tell: if the second cannot be renamed because somebody has
 * put a folder in its place, the first is new.
 */
int replace_end(replacement all[], size_t n, int failed);

#endif
