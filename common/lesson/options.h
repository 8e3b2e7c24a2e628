/*
 * The command line of a chapter's program: the options that a learner varies.
 * Files, masks and other tile sizes belong to the tool `flash`
 * (docs/library.md).
 */
#ifndef COMMON_LESSON_OPTIONS_H
#define COMMON_LESSON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    bool no_options; /* the command line was empty */
    bool trace, csv, causal;
    size_t n, nk, d, seed; /* a random head; n = 0: the bundled layer */
    size_t sram;           /* M, elements on chip */
    const char *step;      /* measure this step alone; NULL: all */
} lesson_options;

/* Reads the command line. takes: the names of the options that the program has,
 * separated by blanks, for example "trace causal n nk d sram seed step".
 * Returns true to go on. Returns false if the program is over; then *status is
 * its exit code: 0 after --help, 2 after one line on stderr. */
bool options_read(lesson_options *o, const char *about, const char *takes,
                  int argc, char **argv, int *status);

#endif
