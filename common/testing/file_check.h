/*
 * For tests that read and write files or run programs: a temporary directory,
 * captured stdout and stderr, and tables of command lines.
 */
#ifndef COMMON_FILE_CHECK_H
#define COMMON_FILE_CHECK_H

#include <stddef.h>

/* Setup and teardown of a test. The setup creates an empty directory and makes
 * it the current one. The teardown removes it with all files in it (directories
 * are not allowed). It fails if a file's name ends in .part: then a program has
 * not removed its temporary file. */
int enter_empty_directory(void **state);
int leave_directory(void **state);

#define IN_DIRECTORY(claim)                                                    \
    TEST_BETWEEN(claim, enter_empty_directory, leave_directory)

/* Writes n bytes to a file. */
void put_file(const char *path, const void *bytes, size_t n);

/* Returns a file's contents and a final \0, its length in *n. The caller frees
 * it. */
unsigned char *get_file(const char *path, size_t *n);

/* Fails the running test unless the file contains exactly that text. */
void assert_file_is(const char *path, const char *text);

/* fill_disk limits all files to that many bytes, as if the disk were full.
 * empty_disk removes the limit. */
void fill_disk(size_t bytes);
void empty_disk(void);

/* Starts to capture stdout and stderr. */
void begin_capture(void);

/* Ends the capture. Returns what stdout got, valid until the next capture. */
const char *end_capture(void);

/* End the capture. Fail the running test unless stderr is empty, or one line
 * "name: ...reason...". */
void assert_no_error_line(void);
void assert_error_line(const char *name, const char *reason);

/* A row may end early: the other fields are NULL. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* A command line and its expected result. Each FILE that it prints as "wrote
 * FILE (" must exist, and no other new file; after a failure no new file. */
typedef struct {
    const char *line;  /* arguments, separated by blanks; '' is an empty one */
    int status;        /* the exit code */
    const char *error; /* stderr: one line with this beginning; the text after
                       * "..." may be anywhere; NULL: empty */
    const char *printed; /* stdout contains it; NULL with `error`: empty */
} command;

/* A program's main, run in the test's directory. */
typedef int program_fn(int argc, char **argv);

/* Fails the running test, and prints the row, unless all n commands give the
 * results of their rows. */
void check_commands(program_fn *program, const command rows[], size_t n);
#define CHECK_COMMANDS(program, rows)                                          \
    check_commands(program, rows, sizeof(rows) / sizeof *(rows))

/* Runs a command that must exit with 0 and print nothing on stderr. Returns its
 * stdout, valid until the next command. */
const char *printed_by(program_fn *program, const char *line);

/* Fails the running test if a line has more than 80 columns. */
void assert_80_columns(const char *text);

#endif
