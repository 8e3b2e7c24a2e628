/*
 * For tests that read and write files: a directory of their own, and what was
 * said on stderr.
 */
#ifndef COMMON_FILE_CHECK_H
#define COMMON_FILE_CHECK_H

#include <stddef.h>

/*
 * Setup and teardown of a test: an empty directory, made the current one, and
 * its removal with all files in it (it may not hold directories). A teardown
 * that finds files whose name ends in .part fails: somebody left them.
 */
int enter_empty_directory(void **state);
int leave_directory(void **state);

/* n bytes into a file. */
void put_file(const char *path, const void *bytes, size_t n);

/* All of a file, its length in *n; to be freed. */
unsigned char *get_file(const char *path, size_t *n);

/* From here on stderr is caught ... */
void hear_stderr(void);

/* ... and no longer: it was nothing, or one line "name: ...reason...". */
void assert_said_nothing(void);
void assert_said_line(const char *name, const char *reason);

#endif
