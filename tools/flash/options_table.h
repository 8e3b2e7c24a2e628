/*
 * Parses a command line by a table of typed options, and writes output files:
 *
 *     enum { IN, BLOCK, OPTIONS };
 *     option options[OPTIONS + 1] = {
 *         [IN] = FILE_OPTION("in", "X.npy", "the array to read"),
 *         [BLOCK] = SIZE_OPTION("block", "n", 1, 64, "elements per block"),
 *     };
 *     if (options_parse(options, about, example, argc, argv, &status))
 *         ... options[IN].file, if options[IN].given ...
 */
#ifndef FLASH_OPTIONS_TABLE_H
#define FLASH_OPTIONS_TABLE_H

#include "common/npy/npy.h"
#include "common/print/outside.h"

#include <stdbool.h>

typedef enum {
    A_FLAG,
    A_FILE,
    A_SIZE,
    A_CHOICE,
    AN_INTEGER,
    A_NUMBER
} option_type;

typedef struct {
    option_type type;
    const char *name;  /* the name with its dashes; NULL ends the table */
    const char *shown; /* the name and its value, as --help prints them */
    const char *help;  /* one line; NULL: the command lacks this option */
    size_t least;      /* the smallest value of a size */
    const char *const *choices; /* the words of a choice; NULL ends them */
    bool given;                 /* output: true if the option was given */
    union {                     /* input: the default; output: the value */
        const char *file;
        size_t size, choice; /* choice: the index of a word */
        long integer;
        float number; /* finite in fp32 */
    };
} option;

/* clang-format off */
#define OPTION(type_, name_, shown_, help_)                                    \
    .type = type_, .name = "--" name_, .shown = "--" name_ shown_, .help = help_
#define FLAG_OPTION(name, help) {OPTION(A_FLAG, name, "", help)}
#define FILE_OPTION(name, value, help)                                         \
    {OPTION(A_FILE, name, " " value, help)}
#define SIZE_OPTION(name, value, least_, default_, help)                       \
    {OPTION(A_SIZE, name, " " value, help), .least = least_, .size = default_}
#define INTEGER_OPTION(name, value, default_, help)                            \
    {OPTION(AN_INTEGER, name, " " value, help), .integer = default_}
#define NUMBER_OPTION(name, value, default_, help)                             \
    {OPTION(A_NUMBER, name, " " value, help), .number = default_}
#define CHOICE_OPTION(name, value, choices_, default_, help)                   \
    {OPTION(A_CHOICE, name, " " value, help), .choices = choices_,             \
     .choice = default_}
/* clang-format on */

/*
 * Returns true if the command can run. Otherwise sets *status to the exit code:
 * 0 after --help or -h, which prints about, the options and example, or 2 after
 * an error, which prints one line on stderr.
 */
bool options_parse(option *options, const char *about, const char *example,
                   int argc, char **argv, int *status);

/* Returns the first given option from first to last, or NULL. */
const option *options_given(const option options[], int first, int last);

/* With ONLY_WITH, each of the options first to last needs one of the options
 * from other to `to`. With NOT_WITH, it excludes them. */
typedef struct {
    int first, last;
    enum { NO_RULE, NOT_WITH, ONLY_WITH } how;
    int other, to;
} option_rule;

/* Checks the rules; {0} ends them. Returns 0, or 2 after one line on stderr. */
int options_obey(const option options[], const option_rule rules[]);

/*
 * Refuses an output that cannot be written, or that is the same file as an
 * input or another output, also if its path is different. files has the inputs
 * and then the outputs. Creates no file. Returns 0. After one line on stderr,
 * returns 1 if a file cannot be written, or 2 if two files are the same.
 */
int outputs_check(const option *const files[], size_t inputs, size_t outputs);

/* Writes the outputs that have a file, or none after an error. Returns 0, or 1
 * after one line on stderr. */
int outputs_write(const option *const files[], const npy_array *const arrays[],
                  size_t n);

#endif
