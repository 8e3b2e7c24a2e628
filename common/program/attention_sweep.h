/*
 * Comma-separated values of the steps: at one problem, or while one size of it
 * grows.
 */
#ifndef COMMON_ATTENTION_SWEEP_H
#define COMMON_ATTENTION_SWEEP_H

#include "common/program/attention_options.h"

/* The header and the lines that --csv asks for; alone, those of all sweeps,
 * which the plots are drawn from. Returns an exit code. */
int print_csv(const request *r);

#endif
