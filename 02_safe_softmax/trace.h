/*
 * `./run --trace` of chapter 02.
 */
#ifndef SAFE_SOFTMAX_TRACE_H
#define SAFE_SOFTMAX_TRACE_H

#include "common/softmax_row.h"

/* Prints the worked example, pass by pass; returns an exit code. */
int trace_safe_softmax(const softmax_step *only);

#endif
