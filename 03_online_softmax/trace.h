/*
 * The worked example of docs/03_online_softmax.md, value by value.
 */
#ifndef ONLINE_SOFTMAX_TRACE_H
#define ONLINE_SOFTMAX_TRACE_H

#include "common/softmax_row.h"

/* Prints one step's way, or (NULL) that of both; gives an exit code. */
int trace_online_softmax(const softmax_step *only);

#endif
