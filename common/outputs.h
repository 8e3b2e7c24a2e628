/*
 * Before the work: can the files that a program is to write be written, and
 * would none of them take the place of one that it reads?
 */
#ifndef COMMON_OUTPUTS_H
#define COMMON_OUTPUTS_H

#include "common/options.h"

/*
 * files: entries of a table of options (options.h), first those that are read,
 * then those that are written; one without a file does not count. Returns 0; 2
 * if an output names a file of another entry, by whatever path; 1 if one could
 * not be written: after one line on stderr. Nothing is left behind.
 */
int outputs_check(const option files[], size_t inputs, size_t outputs);

#endif
