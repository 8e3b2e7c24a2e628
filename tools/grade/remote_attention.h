/*
 * A kernel, asked of a worker (remote.h): the same for all that are handed a
 * head and a memory.
 */
#ifndef GRADE_REMOTE_ATTENTION_H
#define GRADE_REMOTE_ATTENTION_H

#include "common/head.h"

/*
 * The judge: the head goes over, O, L and the error come back, with what the
 * worker says that it counted. It may lie about that: a claim about counts is
 * named in remote.c, `counted inside the worker: CLAIM`, and earns nothing.
 */
int ask_attention(const head *h, memory *mem);

/* The worker: runs it on arrays of exactly their size. */
void serve_attention(attention_fn *run);

#endif
