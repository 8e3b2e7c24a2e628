#include "06_flash2/ring/messages.h"

piece rows_at(float *at, size_t heads, size_t n, size_t N, size_t cols)
{
    MPI_Aint apart = (MPI_Aint)(N * cols * sizeof(float));
    piece p = {at, MPI_DATATYPE_NULL};

    MPI_Type_create_hvector((int)heads, (int)(n * cols), apart, MPI_FLOAT,
                            &p.type);
    return p;
}

piece floats_at(float *at, size_t n)
{
    return rows_at(at, 1, 1, 1, n);
}

void pass(const rank *me, MPI_Request both[2], piece out, size_t to, piece in,
          size_t from)
{
    MPI_Type_commit(&out.type);
    MPI_Type_commit(&in.type);
    MPI_Irecv(in.at, 1, in.type, (int)from, 0, me->comm, &both[0]);
    MPI_Isend(out.at, 1, out.type, (int)to, 0, me->comm, &both[1]);
    MPI_Type_free(&out.type); /* allowed: pending transfers keep the type */
    MPI_Type_free(&in.type);
}

void exchange(const rank *me, piece out, size_t to, piece in, size_t from)
{
    MPI_Request both[2];

    pass(me, both, out, to, in, from);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}
