/*
 * What one rank cannot do, none does: all of them learn of it, one says it.
 */
#ifndef RING_TOGETHER_H
#define RING_TOGETHER_H

#include <mpi.h>

/*
 * Called by all ranks, each with its status and, where that is not 0, its line
 * (NULL if it has been printed). The first rank with a status that is not 0
 * prints its line on stderr; all return its status.
 */
int fail_together(MPI_Comm comm, int status, const char *line);

#endif
