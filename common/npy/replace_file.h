/*
 * Writing files so that a name never means half of one: each goes to a temporary
 * file beside it, PATH.0.part, and takes the place of the old one in one step
 * when all that belong together are written.
 */
#ifndef COMMON_REPLACE_FILE_H
#define COMMON_REPLACE_FILE_H

#include <stddef.h>
#include <stdio.h>

#define FILES_TOGETHER 3 /* dQ, dK, dV */

/* Writes file k; it need not look at errors. */
typedef void file_writer(FILE *file, size_t k, const void *of);

/*
 * All n files are new, or as they were: so does a signal find them, which waits
 * until then. A path may hold nothing yet, a regular file that may be written,
 * or links to one, which stay. A new file gets the permissions of any new file
 * (umask), an old one keeps its own. Anything else is refused, and names that
 * end in .part, which are for temporary files. Without write it only tries
 * whether the files could be written. Returns 0, or 1 after one line on stderr.
 * One thing the line can only tell: if the second cannot be renamed because
 * somebody has put a folder in its place, the first is new.
 */
int replace_files(size_t n, const char *const paths[], file_writer *write,
                  const void *of);

#endif
