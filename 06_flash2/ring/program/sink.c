/*
 * Writing one's own rows (sink.h). Rank 0 makes the temporary files and, when
 * everybody has written, gives them their names; MPI-IO does what is between.
 */
#include "06_flash2/ring/program/sink.h"

#include "06_flash2/ring/together.h"
#include "common/npy/npy.h"
#include "common/npy/replace_file.h"

#include <stdlib.h>
#include <string.h>

/* One file: n files' shapes are alike but for the last axis, which L lacks. */
typedef struct {
    const char *name;
    size_t first, width; /* of the columns of the result */
    npy_array shape;
} output;

static size_t data_begin(const output *o)
{
    char header[NPY_HEADER_MAX];

    return npy_format_header(&o->shape, header);
}

/* Rows of one head, from row `from` of the result on. */
static int put_rows(const rank *me, MPI_File file, const output *o, size_t nth,
                    chunk c, size_t from, float *packed)
{
    MPI_Offset at =
        (MPI_Offset)(data_begin(o) + (nth * me->p.Nq + c.first) * o->width * 4);
    MPI_Status status;
    int count, n = (int)(c.n * o->width);

    if (n == 0)
        return 0;
    for (size_t i = 0; i < c.n; i++)
        memcpy(packed + i * o->width, row(me->result, from + i) + o->first,
               o->width * sizeof(float));
    if (MPI_File_write_at(file, at, packed, n, MPI_FLOAT, &status) !=
        MPI_SUCCESS)
        return 1;
    MPI_Get_count(&status, MPI_FLOAT, &count);
    return count != n;
}

static int put_share(const rank *me, MPI_File file, const output *o, share own,
                     float *packed)
{
    for (size_t nth = 0; nth < me->p.Hq; nth++)
        for (size_t half = 0; half < 2; half++) {
            chunk c = own.part[half];
            /* of a rank that holds all queries, it is some rows among them */
            size_t from = nth * me->q.n + (me->q.n != own.n ? c.first
                                           : half           ? own.part[0].n
                                                            : 0);

            if (put_rows(me, file, o, nth, c, from, packed) != 0)
                return 1;
        }
    return 0;
}

/* All ranks into the file of that temporary name. */
static int put(const rank *me, owner_rule *owns, const output *o,
               const char *temporary)
{
    share own = share_of(owns, me->p.Nq, me->P, me->r);
    float *packed = malloc((own.n * o->width + 1) * sizeof(float));
    char line[400], header[NPY_HEADER_MAX];
    MPI_File file = MPI_FILE_NULL;
    int failed = packed == NULL;

    snprintf(line, sizeof line, "%s: cannot write, on rank %zu", o->name,
             me->r);
    if (MPI_File_open(me->comm, temporary, MPI_MODE_WRONLY, MPI_INFO_NULL,
                      &file) != MPI_SUCCESS)
        failed = 1;
    if (!failed && me->r == 0)
        failed = MPI_File_write_at(file, 0, header,
                                   (int)npy_format_header(&o->shape, header),
                                   MPI_CHAR, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    if (!failed)
        failed = put_share(me, file, o, own, packed);
    if (file != MPI_FILE_NULL && MPI_File_close(&file) != MPI_SUCCESS)
        failed = 1;
    free(packed);
    return fail_together(me->comm, failed, line);
}

/* Rank 0's temporary file, its name told to all. */
static int begin_file(const rank *me, replacement *r, const char *name)
{
    int status = me->r == 0 ? replace_begin(r, name) : 0;

    status = fail_together(me->comm, status, NULL);
    if (status == 0)
        MPI_Bcast(r->temporary, sizeof r->temporary, MPI_CHAR, 0, me->comm);
    return status;
}

int sink_write(const rank *me, const source *s, owner_rule *owns,
               const char *out, const char *lse)
{
    output O = {out, 2, me->p.dv, s->as[OF_Q]}, L = {lse, 1, 1, s->as[OF_Q]};
    replacement r[2];
    size_t begun = 1;
    int failed;

    O.shape.shape[O.shape.dims - 1] = me->p.dv;
    L.shape.dims--;
    if (begin_file(me, &r[0], out) != 0)
        return 1;
    failed = put(me, owns, &O, r[0].temporary);
    if (!failed && lse) {
        failed = begin_file(me, &r[1], lse);
        begun += !failed;
    }
    if (begun == 2)
        failed = put(me, owns, &L, r[1].temporary);
    if (me->r == 0)
        failed = replace_end(r, begun, failed);
    return fail_together(me->comm, failed, NULL);
}
