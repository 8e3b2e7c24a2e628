/*
 * The program of the softmax chapters 01 to 03: softmax over the last axis of
 * any array, and the chapter's own lesson, trace and data for its plot.
 */
#ifndef COMMON_SOFTMAX_PROGRAM_H
#define COMMON_SOFTMAX_PROGRAM_H

#include "common/softmax_row.h"

typedef struct {
    const char *about, *example; /* for --help */
    const softmax_step *steps;   /* the last one runs without --step */
    const char *in_blocks;       /* the step that --block is for, or NULL */

    /* What it prints; each returns an exit code. only: --step's, or NULL. */
    int (*lesson)(const softmax_step *only, size_t block);
    int (*trace)(const softmax_step *only); /* --trace */
    int (*csv)(void);                       /* --csv: its plot's data */
} softmax_chapter;

/* The whole program; returns its exit code. */
int softmax_program(const softmax_chapter *chapter, int argc, char **argv);

#endif
