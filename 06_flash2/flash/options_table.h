/*
 * The command line of `flash`: one parser for a table of typed options per
 * command; and the output files of a command.
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

typedef enum { A_FLAG, A_FILE, A_SIZE, A_CHOICE, AN_INTEGER, A_NUMBER } kind;

typedef struct {
    kind type;
    const char *name;  /* with its dashes; NULL ends the table */
    const char *shown; /* the name and its value, as --help prints them */
    const char *help;  /* one line; NULL: this command does not have it */
    size_t least;      /* for a size: the smallest */
    const char *const *choices; /* for a choice: the words; NULL ends them */
    bool given;                 /* output: it was on the command line */
    union {                     /* input: the default; output: the value */
        const char *file;
        size_t size, choice; /* a choice: its index */
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
 * Reads the command line into the table. Returns true to go on. Returns false
 * if the program is over; then *status is its exit code: 0 after --help (or
 * -h), which prints about, the options and the examples; 2 after one line on
 * stderr.
 */
bool options_parse(option *options, const char *about, const char *example,
                   int argc, char **argv, int *status);

/* Returns the first of options first .. last that is given, or NULL. */
const option *options_given(const option options[], int first, int last);

/*
 * A rule: each of options first .. last may be given only with, or only
 * without, one of other .. to. The check returns 2 at the first broken rule,
 * after one line on stderr that names both options; otherwise 0. {0} ends the
 * rules.
 */
typedef struct {
    int first, last;
    enum { NO_RULE, NOT_WITH, ONLY_WITH } how;
    int other, to;
} option_rule;

int options_obey(const option options[], const option_rule rules[]);

/*
 * Called before the work: refuses outputs that cannot be written, or that would
 * replace an input or another output, also by another path. files: the inputs,
 * then the outputs; options without a file are skipped. Returns 0, or 1 or 2
 * after one line on stderr. Creates no file.
 */
int outputs_check(const option *const files[], size_t inputs, size_t outputs);

/* Writes the arrays of the n outputs that have a file: all or none. Prints
 * their shapes. Returns 0, or 1 after one line on stderr. */
int outputs_write(const option *const files[], const npy_array *const arrays[],
                  size_t n);

#endif
