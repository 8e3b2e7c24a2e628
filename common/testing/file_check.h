/* Files, captured output and tables of command lines, for tests. */
#ifndef COMMON_FILE_CHECK_H
#define COMMON_FILE_CHECK_H

#include <stddef.h>

/* Setup and teardown of a test. The setup creates an empty directory and makes
 * it the current one. The teardown removes it and its files. It fails if the
 * directory contains a directory, a hidden file, or NAME.part, a temporary file
 * that a program has not removed. */
int enter_empty_directory(void **state);
int leave_directory(void **state);

#define IN_DIRECTORY(name)                                                     \
    TEST_BETWEEN(name, enter_empty_directory, leave_directory)

void put_file(const char *path, const void *bytes, size_t n);

/* Returns the contents and a final \0. The caller frees them. */
unsigned char *get_file(const char *path, size_t *n);

/* Writes an array of a shape such as "2x3x4". If numbers is NULL, the elements
 * are -1, -1/8, 6/8, ... */
void put_numbers(const char *path, const char *shape, const float *numbers);

void assert_file_is(const char *path, const char *text);

/* fill_disk limits the size of files to `bytes`, as if the disk were full. */
void fill_disk(size_t bytes);
void empty_disk(void);

/* end_capture returns the captured stdout, valid until the next capture. */
void begin_capture(void);
const char *end_capture(void);

/* Ends the capture. Fails the running test unless stderr is empty. */
void assert_no_error_line(void);

/* Ends the capture. Fails the running test unless stderr is one line that
 * begins with "NAME: " and contains the reason. */
void assert_error_line(const char *name, const char *reason);

/* A row of a table may leave out its last fields, which are then NULL. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* A command line and its expected result. After success, each file that stdout
 * names as "wrote FILE (" must exist, and no other file may be new. A command
 * that fails must create no file. */
typedef struct {
    const char
        *line; /* arguments, separated by blanks; '' is an empty argument */
    int status;
    const char *error;   /* beginning of the only line on stderr; the text after
                            "..." may be anywhere in it; NULL: no line */
    const char *printed; /* a part of stdout; NULL after an error: stdout is
                          * empty; NULL otherwise: stdout is not tested */
} command;

typedef int program_fn(int argc, char **argv);

/* Fails the test unless all n commands give the results of their rows. No line of
 * stdout may have more than 80 columns, except lines of data: they have tabs or
 * no blanks. Nothing may follow a command after "next: ". */
void check_commands(program_fn *program, const command rows[], size_t n);
#define CHECK_COMMANDS(program, rows)                                          \
    check_commands(program, rows, sizeof(rows) / sizeof *(rows))

/* Runs a command that must exit with 0 and print nothing on stderr. Checks its
 * lines like check_commands, and returns them, valid until the next command. */
const char *printed_by(program_fn *program, const char *line);

/* Runs a command that prints nothing on stderr, or one line (as in `command`).
 * Returns stdout, valid until the next command, or NULL after an error. */
const char *printed_or_refused(program_fn *program, const char *line,
                               const char *error);

#endif
