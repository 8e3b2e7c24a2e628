/*
 * Rules of the scores that come in a file (attention_arrays.h).
 */
#include "common/problem/attention_arrays.h"

#include "common/print/outside.h"

#include <math.h>
#include <unistd.h>

int arrays_read_sink(attention_arrays *a, const char *text)
{
    size_t Hq = a->problem.Hq;
    char shape[NPY_SHAPE_MAX];
    float number;
    bool is_number = number_from(text, &number);
    int status;

    if (!is_number && access(text, F_OK) != 0)
        return refused(2, "--sink",
                       "'%s' is neither a number finite in fp32 (such as 0.125 "
                       "or -2e-3) nor a file",
                       shown(text).text);
    status = is_number ? npy_new(&a->sink, 1, &Hq) : npy_read(text, &a->sink);
    if (status != 0)
        return status;
    if (a->sink.dims != 1 || a->sink.size != Hq)
        return refused(2, text,
                       "shape %s (sinks are (Hq), one for each query head)",
                       npy_shape_text(&a->sink, shape));
    for (size_t h = 0; h < Hq; h++) {
        if (is_number)
            a->sink.data[h] = number;
        if (!isfinite(a->sink.data[h]))
            return refused(2, "--sink", "%s: %g is not finite in fp32",
                           shown(text).text, (double)a->sink.data[h]);
    }
    a->problem.each.rule.sink = a->sink.data;
    return 0;
}

int arrays_read_blocks(attention_arrays *a, const char *path, size_t size)
{
    head *h = &a->problem.each;
    size_t rows = tiles(h->Nq, size), cols = tiles(h->Nk, size);
    const npy_array *b = &a->blocks;
    int status = npy_read(path, &a->blocks);
    char shape[NPY_SHAPE_MAX];

    if (status != 0)
        return status;
    if (b->dims != 2 || b->shape[0] != rows || b->shape[1] != cols)
        return refused(2, path,
                       "shape %s (%zu queries and %zu keys in blocks of %zu "
                       "need (%zu, %zu))",
                       npy_shape_text(b, shape), h->Nq, h->Nk, size, rows,
                       cols);
    for (size_t k = 0; k < b->size; k++)
        if (b->data[k] != 0 && b->data[k] != 1)
            return refused(2, path,
                           "%g for block (%zu, %zu) (0 or 1 are allowed)",
                           (double)b->data[k], k / cols, k % cols);
    h->rule.blocks.of = matrix_of(b->data, rows, cols);
    h->rule.blocks.size = size;
    return 0;
}
