/*
 * What is really handed to MPI: every MPI_Isend of the program comes by here,
 * because this one is found before MPI's own (which is called PMPI_Isend, too,
 * for just that purpose). A message to oneself does not travel.
 */
#include "06_flash2/ring/program/orders.h"

size_t bytes_sent;

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    MPI_Count size;
    int r;

    PMPI_Type_size_x(type, &size);
    PMPI_Comm_rank(comm, &r);
    if (to != r)
        bytes_sent += (size_t)count * (size_t)size;
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}
