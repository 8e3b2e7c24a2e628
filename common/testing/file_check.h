/*
 * For tests that read and write files or run programs: a directory of their own,
 * what was printed and said, and command lines as tables.
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

#define IN_DIRECTORY(claim)                                                    \
    TEST_BETWEEN(claim, enter_empty_directory, leave_directory)

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

/* From here on stdout and stderr are caught ... */
void hear(void);

/* ... and no longer: what was printed, until the next time. */
const char *heard(void);

/* The same, and fails the running test unless what was said on stderr is
 * nothing, or one line "name: ...reason...". */
void assert_said_nothing(void);
void assert_said_line(const char *name, const char *reason);

/* A row may end early: what is left out is NULL. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* A command line and how it ends. What it prints as "wrote FILE (" is there, and no
 * other new file; if it fails, there is none. */
typedef struct {
    const char *line; /* the arguments, split at blanks; '' is an empty one */
    int status;       /* the exit code */
    const char *said; /* stderr: one line that begins so; "..." is a gap, after
                          * which the rest may be anywhere; NULL: nothing */
    const char
        *printed; /* stdout contains it; NULL: nothing if `said` is given */
} command;

/* A program by its arguments, in a test's directory. */
typedef int program_fn(int argc, char **argv);

/* Fails the running test, and names the row, unless all n commands end as their
 * rows say. */
void check_commands(program_fn *program, const command rows[], size_t n);
#define CHECK_COMMANDS(program, rows)                                          \
    check_commands(program, rows, sizeof(rows) / sizeof *(rows))

/* Runs a command that must exit with 0 and print nothing on stderr. Returns what it
 * printed, until the next command. */
const char *printed_by(program_fn *program, const char *line);

/* Fails the running test if a line is wider. */
void assert_80_columns(const char *text);

#endif
