/*
 * Temporary files that outlive nobody: what a signal removes, and what a killed
 * program left behind.
 *
 * Ctrl-C, kill, a closed terminal or pipe, a limit of time or size: each ends a
 * program at once, and what it was writing would stay for ever. A handler
 * removes it, and then lets the signal do what it does. Nothing catches kill
 * -9 or a power cut: what these leave is found, and removed, when the same
 * file is written again. It is nobody's if nobody has it locked.
 */
#ifndef COMMON_TEMPORARY_H
#define COMMON_TEMPORARY_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Creates TARGET.PID.K.part, for the first K that nobody has, and removes what
 * killed programs left of that target. Its name, to be freed, in *name: until
 * temporary_forget, a signal that ends the program removes it first. Returns
 * NULL, with errno set, if there can be none.
 */
FILE *temporary_create(const char *target, char **name);

/* It is removed, or has become a file to keep. */
void temporary_forget(const char *name);

#endif
