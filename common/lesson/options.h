/* Reads the command line of a chapter's program. */
#ifndef COMMON_LESSON_OPTIONS_H
#define COMMON_LESSON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    bool no_options; /* the command line is empty */
    bool trace, csv, causal;
    size_t n, nk, d, seed; /* a random head; n = 0: the bundled layer */
    size_t sram;           /* M, elements on chip */
    const char *step;      /* the only step to measure; NULL: all steps */
} lesson_options;

/* Reads the command line. `takes` has the names of the program's options,
 * separated by blanks, for example "trace causal n nk d sram seed step".
 * Returns true if the program must continue. Returns false if it must end with
 * exit code *status: 0 after --help, 2 after one line on stderr. --help prints
 * `about` before the options. */
bool options_read(lesson_options *o, const char *about, const char *takes,
                  int argc, char **argv, int *status);

#endif
