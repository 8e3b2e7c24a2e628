/*
 * What ring/'s program prints.
 */
#ifndef RING_LESSON_H
#define RING_LESSON_H

#include "06_flash2/ring/program/measure.h"

/* Each called by all ranks; rank 0 prints. They return 0, or 1 on all. */
int lesson(MPI_Comm comm, const source *s, const ring_problem *p);
/* The gradients, after ring and after zigzag. */
int lesson_back(MPI_Comm comm, const source *s, const ring_problem *p);
/* One step, or all (NULL), a line each with commas between. */
int csv_lines(MPI_Comm comm, const source *s, const ring_problem *p,
              const ring_step *only);

/* The table's line of one step; the first call for a table prints its head. */
void say_one(MPI_Comm comm, const ring_step *step, const outcome *found);

#endif
