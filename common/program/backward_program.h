/*
 * `./run --backward` of chapters 05 and 06: the gradients by any of a chapter's
 * backward steps, over the bundled data, over files or over random problems.
 */
#ifndef COMMON_BACKWARD_PROGRAM_H
#define COMMON_BACKWARD_PROGRAM_H

#include "common/program/backward_chapter.h"

/* The whole program, which `./run --backward` becomes; returns its exit code. */
int backward_program(const backward_chapter *chapter, int argc, char **argv);

#endif
