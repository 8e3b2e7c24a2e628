/*
 * For tests that read and write files: a directory of their own, and what was
 * said on stdout and stderr.
 */
#ifndef COMMON_FILE_CHECK_H
#define COMMON_FILE_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Setup and teardown of a test: an empty directory, made the current one, and
 * its removal with all files in it (it may not hold directories). A teardown
 * that finds files whose name ends in .part fails: somebody left them.
 */
int enter_empty_directory(void **state);
int leave_directory(void **state);

#define in_directory(test)                                                     \
    cmocka_unit_test_setup_teardown(test, enter_empty_directory,               \
                                    leave_directory)

/* n bytes into a file. */
void put_file(const char *path, const void *bytes, size_t n);

/* All of a file and a \0 behind it, its length in *n; to be freed. */
unsigned char *get_file(const char *path, size_t *n);

/* Fails the running test unless the file is that text. */
void assert_file_is(const char *path, const char *text);

/* From here on no file grows beyond so many bytes, as if the disk were full ...
 */
void fill_disk(size_t bytes);

/* ... and no longer. */
void empty_disk(void);

/* From here on stdout goes to a file, "printed" ... */
void hear_stdout(void);

/* ... and no longer: what was printed; to be freed. */
char *heard_stdout(void);

/* From here on stderr is caught ... */
void hear_stderr(void);

/* ... and no longer: what was said, cut at capacity; */
void heard_stderr(char said[], size_t capacity);

/* or it was nothing, or one line "name: ...reason...". */
bool is_line(const char *said, const char *name, const char *reason);
void assert_said_nothing(void);
void assert_said_line(const char *name, const char *reason);

#endif
