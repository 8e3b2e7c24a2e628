/*
 * `./run --trace` of chapter 01.
 */
#ifndef NAIVE_SOFTMAX_TRACE_H
#define NAIVE_SOFTMAX_TRACE_H

#include "common/softmax_row.h"

/* Prints the worked example, element by element; returns an exit code. */
int trace_naive_softmax(const softmax_step *only);

#endif
