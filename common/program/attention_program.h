/*
 * The program of chapters 04 to 06: attention by any of the chapter's steps,
 * over the bundled data, over files or over random problems.
 */
#ifndef COMMON_ATTENTION_PROGRAM_H
#define COMMON_ATTENTION_PROGRAM_H

#include "common/program/attention_chapter.h"

/* The whole program; returns its exit code. */
int attention_program(const attention_chapter *chapter, int argc, char **argv);

#endif
