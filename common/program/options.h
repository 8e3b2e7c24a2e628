/*
 * The command line of every chapter's program: a table of typed options, and
 * one parser that refuses all that the table does not allow.
 *
 *     enum { IN, BLOCK, OPTIONS };
 *     option options[OPTIONS + 1] = {
 *         [IN] = FILE_OPTION("in", "X.npy", "the array to read"),
 *         [BLOCK] = SIZE_OPTION("block", "n", 1, 64, "elements a block"),
 *     };
 *     if (!options_parse(options, about, example, argc, argv, &status))
 *         return status;
 *     if (options[IN].given)
 *         ... options[IN].file ...
 *
 * Afterwards each entry holds its value, or its default if it was not given.
 */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include "common/program/option.h"

enum { MOST_OPTIONS = 80 };

/*
 * Reads the command line into the table, of at most MOST_OPTIONS. True: go on. False: the program is
 * over and *status is its exit code: 0 after --help (or -h), which printed
 * about, the options and example on stdout; 2 after one line on stderr about
 * an unknown or abbreviated option, a missing, malformed or repeated value,
 * or an argument that is no option; or about a table that is too long.
 */
bool options_parse(option *options, const char *about, const char *example,
                   int argc, char **argv, int *status);

/*
 * Of these entries at most one may be given (the list ends with NULL). Returns
 * 0, or 2 after one line on stderr.
 */
int options_at_most_one(const option *const options[]);

/* The first of options first .. last of a table that is given, or NULL. */
const option *options_given(const option options[], int first, int last);

/* Are both given? Then 2 after one line on stderr, else 0. */
int options_exclude(const option options[], int first, int second);

#endif
