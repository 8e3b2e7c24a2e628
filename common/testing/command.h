/*
 * Command lines as tables: what is typed, the exit code, the one line on
 * stderr, what is printed, and that what fails leaves no file.
 */
#ifndef COMMON_COMMAND_H
#define COMMON_COMMAND_H

#include <stddef.h>

typedef struct {
    const char *line; /* cut at blanks; '' is an empty argument */
    int status;       /* the exit code; with 2 nothing is printed */
    const char *name; /* stderr: one line "name: ...reason..."; NULL: nothing */
    const char *reason; /* and if name is NULL: is printed; NULL: no matter */
} command;

/* A program by its arguments, in a test's directory (file_check.h). */
typedef int program_fn(int argc, char **argv);

/* Each fails the running test, and says with which line, unless all n commands
 * end as their rows say. */
void check_commands(program_fn *program, const command rows[], size_t n);
#define CHECK_COMMANDS(program, rows)                                          \
    check_commands(program, rows, sizeof(rows) / sizeof *(rows))

/* One that succeeds, and says nothing: what it printed, until the next. */
const char *printed_by(program_fn *program, const char *line);

/* Fails the running test if a line is wider. */
void assert_80_columns(const char *text);

#endif
