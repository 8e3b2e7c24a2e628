/*
 * The program of chapters 04 to 06: attention by any of the chapter's steps,
 * over the bundled data, over files or over random problems.
 */
#ifndef COMMON_ATTENTION_PROGRAM_H
#define COMMON_ATTENTION_PROGRAM_H

#include "common/program/attention_chapter.h"

/* The whole program; returns its exit code. */
int attention_program(const attention_chapter *chapter, int argc, char **argv);

/*
 * The backward pass has a program of its own, backward/run in the folder of
 * this one. Is the command line for that, with --backward among it? Then this
 * one becomes it; become_backward returns only if it cannot: 1 after one line
 * on stderr.
 */
bool asks_backward(int argc, char **argv);
int become_backward(char **argv);

#endif
