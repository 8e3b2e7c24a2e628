/*
 * Rules of the scores that come in a file (attention_arrays.h).
 */
#include "common/problem/attention_arrays.h"

#include "common/print/outside.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

int arrays_read_sink(attention_arrays *a, const char *text)
{
    size_t Hq = a->problem.Hq;
    char shape[NPY_SHAPE_MAX];
    float number;
    bool is_number = number_from(text, &number);
    int status;

    if (!is_number && access(text, F_OK) != 0) {
        fprintf(stderr,
                "--sink: '%s' is neither a number finite in fp32 (such as "
                "0.125 or -2e-3) nor a file\n",
                shown(text).text);
        return 2;
    }
    status = is_number ? npy_new(&a->sink, 1, &Hq) : npy_read(text, &a->sink);
    if (status != 0)
        return status;
    if (a->sink.dims != 1 || a->sink.size != Hq) {
        fprintf(stderr,
                "%s: shape %s (sinks are (Hq), one for each query head)\n",
                shown(text).text, npy_shape_text(&a->sink, shape));
        return 2;
    }
    for (size_t h = 0; h < Hq; h++) {
        if (is_number)
            a->sink.data[h] = number;
        if (!isfinite(a->sink.data[h])) {
            fprintf(stderr, "--sink: %s: %g is not finite in fp32\n",
                    shown(text).text, (double)a->sink.data[h]);
            return 2;
        }
    }
    a->problem.each.sink = a->sink.data;
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
    if (b->dims != 2 || b->shape[0] != rows || b->shape[1] != cols) {
        fprintf(stderr,
                "%s: shape %s (%zu queries and %zu keys in blocks of %zu need "
                "(%zu, %zu))\n",
                shown(path).text, npy_shape_text(b, shape), h->Nq, h->Nk, size,
                rows, cols);
        return 2;
    }
    for (size_t k = 0; k < b->size; k++)
        if (b->data[k] != 0 && b->data[k] != 1) {
            fprintf(stderr,
                    "%s: %g for block (%zu, %zu) (0 or 1 are allowed)\n",
                    shown(path).text, (double)b->data[k], k / cols, k % cols);
            return 2;
        }
    h->blocks.of = matrix_of(b->data, rows, cols);
    h->blocks.size = size;
    return 0;
}
