/*
 * The files that a program writes, looked at before the work, written after it.
 */
#ifndef COMMON_OUTPUTS_H
#define COMMON_OUTPUTS_H

#include "common/npy/npy.h"
#include "common/program/options.h"

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
