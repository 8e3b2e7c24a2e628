/*
 * Failing together (together.h).
 */
#include "06_flash2/ring/together.h"

#include <stdio.h>

int fail_together(MPI_Comm comm, int status, const char *line)
{
    int r, P, mine, first;

    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &P);
    mine = status ? r : P;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == P)
        return 0;
    if (r == first && line)
        fprintf(stderr, "%s\n", line);
    MPI_Bcast(&status, 1, MPI_INT, first, comm);
    return status;
}
