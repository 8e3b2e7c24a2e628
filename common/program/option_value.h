/*
 * The value of one option (options.h).
 */
#ifndef COMMON_OPTION_VALUE_H
#define COMMON_OPTION_VALUE_H

#include "common/program/options.h"

/*
 * Reads text into the option as its type asks. Returns 0, or 2 after one line
 * on stderr that says what the type allows.
 */
int option_read(option *o, const char *text);

#endif
