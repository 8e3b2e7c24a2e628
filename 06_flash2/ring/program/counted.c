/*
 * What is really handed to MPI: every MPI_Isend of the program comes by here,
 * because this one is found before MPI's own (which is called PMPI_Isend, too,
 * for just that purpose). A message to oneself does not travel. Likewise what
 * is read from files, and written.
 */
#include "06_flash2/ring/program/counted.h"

traffic counted;

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    int size, r;

    PMPI_Type_size(type, &size);
    PMPI_Comm_rank(comm, &r);
    if (to != r) {
        counted.sent += (size_t)count * (size_t)size;
        counted.messages++;
    }
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int MPI_File_read_at(MPI_File file, MPI_Offset at, void *data, int count,
                     MPI_Datatype type, MPI_Status *status)
{
    int size;

    PMPI_Type_size(type, &size);
    counted.read += (size_t)count * (size_t)size;
    return PMPI_File_read_at(file, at, data, count, type, status);
}

int MPI_File_write_at(MPI_File file, MPI_Offset at, const void *data, int count,
                      MPI_Datatype type, MPI_Status *status)
{
    int size;

    PMPI_Type_size(type, &size);
    counted.written += (size_t)count * (size_t)size;
    return PMPI_File_write_at(file, at, data, count, type, status);
}
