/*
 * Writing a file so that its name never means half of it: all goes to a
 * temporary name in the same directory, which takes the place of the old file
 * in one step when everything is written. No end of the program leaves the
 * temporary file for good.
 *
 *     if (replace_begin(&r, path) != 0)
 *         return 1;
 *     fprintf(r.file, ...);          no error need be looked at here
 *     return replace_end(&r);
 */
#ifndef COMMON_REPLACE_FILE_H
#define COMMON_REPLACE_FILE_H

#include <stdio.h>

typedef struct {
    FILE *file; /* to be written to */
    const char *path;
    char *target, *temporary; /* where path's links lead; beside it */
} replacement;

/*
 * Path may hold nothing yet, a regular file that may be written, or links to
 * one, which stay. A new file gets the permissions of any new file (umask), an
 * old one keeps its own. A directory, a pipe or a device is refused. Returns
 * 0, or 1 after one line on stderr; path is kept, not copied.
 */
int replace_begin(replacement *r, const char *path);

/*
 * Closes and renames. If that or any write before it failed: removes the
 * temporary file, says so in one line on stderr and returns 1.
 */
int replace_end(replacement *r);

/*
 * The same for two files that belong together. Both are closed before either
 * is renamed: if writing either failed, or the first one's renaming, neither is
 * replaced. A second one that cannot be renamed (somebody has put a folder in
 * its place) finds the first one replaced: the line says so.
 */
int replace_end_both(replacement *a, replacement *b);

/*
 * Removes the temporary file; the old one stays. Returns 0, or 1 after one line
 * on stderr if it cannot be removed.
 */
int replace_cancel(replacement *r);

#endif
