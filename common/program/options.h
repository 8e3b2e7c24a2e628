/*
 * The command line of every chapter's program: a table of typed options, one
 * parser that refuses all that the table does not allow, and the files that a
 * program writes.
 *
 *     enum { IN, BLOCK, OPTIONS };
 *     option options[OPTIONS + 1] = {
 *         [IN] = FILE_OPTION("in", "X.npy", "the array to read"),
 *         [BLOCK] = SIZE_OPTION("block", "n", 1, 64, "elements per block"),
 *     };
 *     if (!options_parse(options, about, example, argc, argv, &status))
 *         return status;
 *     if (options[IN].given)
 *         ... options[IN].file ...
 */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include "common/npy/npy.h"

#include <stdbool.h>

typedef struct option option;

struct option {
    const char *name;  /* without its dashes; NULL ends the table */
    const char *value; /* what --help calls its value */
    const char *help;  /* one line; NULL: this program does not have it */
    /* Takes the value from text: 0, or 2 after one line on stderr that says
     * what is allowed. NULL: a flag, without a value. */
    int (*read)(option *o, const char *text);
    size_t least;               /* of a size */
    const char *const *choices; /* of a choice; NULL ends them */
    bool given;                 /* written: it stood on the command line */
    union {                     /* in: the default. out: the value */
        const char *file;
        size_t size;
        long integer;
        float number;
        size_t choice; /* index into choices */
    } /* as `read` reads it */;
};

int read_file(option *o, const char *text);    /* --in X.npy */
int read_size(option *o, const char *text);    /* --n 4096, from `least` on */
int read_choice(option *o, const char *text);  /* --step flash2, in full */
int read_integer(option *o, const char *text); /* --causal-offset -3 */
int read_number(option *o, const char *text);  /* --scale 0.125, finite fp32 */

/* clang-format off */
#define OPTION(read_, name_, value_, help_)                                    \
    .name = name_, .value = value_, .help = help_, .read = read_
#define FLAG_OPTION(name, help) {OPTION(NULL, name, NULL, help)}
#define FILE_OPTION(name, value, help) {OPTION(read_file, name, value, help)}
#define SIZE_OPTION(name, value, least_, default_, help)                       \
    {OPTION(read_size, name, value, help), .least = least_, .size = default_}
#define INTEGER_OPTION(name, value, default_, help)                            \
    {OPTION(read_integer, name, value, help), .integer = default_}
#define NUMBER_OPTION(name, value, default_, help)                             \
    {OPTION(read_number, name, value, help), .number = default_}
#define CHOICE_OPTION(name, value, choices_, default_, help)                   \
    {OPTION(read_choice, name, value, help), .choices = choices_,              \
     .choice = default_}
/* clang-format on */

/*
 * Reads the command line into the table. True: go on. False: the program is
 * over and *status is its exit code: 0 after --help (or -h), which printed
 * about, the options and example on stdout; 2 after one line on stderr about
 * an unknown or abbreviated option, a missing, malformed or repeated value,
 * or an argument that is no option.
 */
bool options_parse(option *options, const char *about, const char *example,
                   int argc, char **argv, int *status);

/*
 * Says "--name: what is wrong" on stderr and returns 2. For what a table
 * cannot say: options that need or exclude each other.
 */
int option_refuse(const option *o, const char *what, ...)
    __attribute__((format(printf, 2, 3)));

/* The first of options first .. last of a table that is given, or NULL. */
const option *options_given(const option options[], int first, int last);

/*
 * A rule: each of options first .. last is given only with, or not with, any of
 * other .. to. The first of n rules that is broken gives 2 after one line on
 * stderr, which names both options; else 0.
 */
typedef struct {
    int first, last;
    enum { NOT_WITH, ONLY_WITH } how;
    int other, to;
} option_rule;

int options_obey(const option options[], const option_rule rules[], size_t n);
#define OPTIONS_OBEY(options, rules)                                           \
    options_obey(options, rules, sizeof(rules) / sizeof *(rules))

/*
 * Before the work: can the files that a program is to write be written, and
 * would none of them take the place of one that it reads?
 *
 * files: entries of a table of options, first those that are read,
 * then those that are written; one without a file does not count. Returns 0; 2
 * if an output names a file of another entry, by whatever path; 1 if one could
 * not be written: after one line on stderr. Nothing is left behind.
 */
int outputs_check(const option files[], size_t inputs, size_t outputs);

/* Writes each array to its file, for those of n <= 5 outputs that have one: all
 * or none; prints their shapes. Returns 0, or 1 after one line on stderr. */
int outputs_write(const option files[], const npy_array *const arrays[],
                  size_t n);

#endif
