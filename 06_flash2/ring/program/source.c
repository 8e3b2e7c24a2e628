/*
 * Reading one's own rows (source.h). One rank looks at the headers, and tells
 * the others; then each opens the files for itself.
 */
#include "06_flash2/ring/program/source.h"

#include "06_flash2/ring/together.h"
#include "common/npy/npy.h"
#include "common/problem/attention_arrays.h"
#include "common/problem/random.h"

#include <stdio.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "ring/ reads .npy files as they are: little-endian");

/* The shape in the file's header, and where its data begin. */
static int look(const char *path, npy_array *shape, MPI_Offset *data)
{
    FILE *file = npy_open(path, shape);

    if (!file)
        return 1;
    *data = ftell(file);
    fclose(file);
    return 0;
}

static int look_at_all(source *s, const char *const names[INPUTS])
{
    shaped a[INPUTS];

    for (int k = 0; k < INPUTS; k++) {
        if (look(names[k], &s->as[k], &s->data[k]) != 0)
            return 1;
        a[k] = shape_of(names[k], &s->as[k]);
    }
    if (check_qkv(&a[OF_Q], &a[OF_K], &a[OF_V]) != 0)
        return 2;
    s->B = a[OF_Q].shape[BATCH];
    for (int k = 0; k < INPUTS; k++) {
        s->heads[k] = s->B * a[k].shape[HEADS];
        s->N[k] = a[k].shape[ROWS];
        s->cols[k] = a[k].shape[COLS];
    }
    return 0;
}

int source_open(MPI_Comm comm, source *s, const char *const names[INPUTS])
{
    char line[400] = "";
    int r, failed = 0;

    *s = (source){.random = false};
    MPI_Comm_rank(comm, &r);
    failed = fail_together(comm, r == 0 ? look_at_all(s, names) : 0, NULL);
    if (failed)
        return failed;
    MPI_Bcast(s, sizeof *s, MPI_BYTE, 0, comm);
    for (int k = 0; k < INPUTS; k++) {
        s->file[k] = MPI_FILE_NULL;
        if (failed || MPI_File_open(MPI_COMM_SELF, names[k], MPI_MODE_RDONLY,
                                    MPI_INFO_NULL, &s->file[k]) == MPI_SUCCESS)
            continue;
        failed = 1;
        snprintf(line, sizeof line, "%s: cannot open on rank %d", names[k], r);
    }
    failed = fail_together(comm, failed, line);
    if (failed)
        source_close(s);
    return failed;
}

void source_close(source *s)
{
    for (int k = 0; k < INPUTS && !s->random; k++)
        if (s->file[k] != MPI_FILE_NULL)
            MPI_File_close(&s->file[k]);
}

/* A row of its own numbers, whoever asks. Q's are larger, so that the weights
 * are far from equal. */
static void make_row(const source *s, int which, size_t at, float *to)
{
    unsigned long long row = (unsigned long long)at * INPUTS + (unsigned)which;
    random_source r = random_seed(s->seed + (row << 20));

    random_fill(&r, to, s->cols[which], which == OF_Q ? 3 : 1);
}

int rows_read(const source *s, int which, size_t nth, size_t first, size_t n,
              float *to)
{
    size_t cols = s->cols[which];
    size_t at = nth * s->N[which] + first + (which == OF_Q ? s->skipped : 0);
    MPI_Status status;
    int count = 0;

    if (s->random || n * cols == 0) {
        for (size_t i = 0; i < n && cols > 0; i++)
            make_row(s, which, at + i, to + i * cols);
        return 0;
    }
    if (MPI_File_read_at(s->file[which],
                         s->data[which] + (MPI_Offset)(at * cols * 4), to,
                         (int)(n * cols), MPI_FLOAT, &status) != MPI_SUCCESS)
        return 1;
    MPI_Get_count(&status, MPI_FLOAT, &count);
    return count != (int)(n * cols);
}

int share_read(const source *s, int which, share rows, float *to)
{
    for (size_t h = 0; h < s->heads[which]; h++)
        for (size_t half = 0; half < 2; half++) {
            chunk c = rows.part[half];

            if (rows_read(s, which, h, c.first, c.n, to) != 0)
                return 1;
            to += c.n * s->cols[which];
        }
    return 0;
}
