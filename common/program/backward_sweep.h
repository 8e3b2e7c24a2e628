/*
 * Comma-separated values of the backward steps: at one problem, or while one
 * size of it grows.
 */
#ifndef COMMON_BACKWARD_SWEEP_H
#define COMMON_BACKWARD_SWEEP_H

#include "common/program/backward_options.h"

/* The header and the lines that --csv asks for; alone, those of all sweeps.
 * Returns an exit code. */
int backward_csv(const backward_request *r);

#endif
