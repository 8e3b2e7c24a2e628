/* Every tile has its own malloc, so that sanitizers and valgrind detect an
 * overrun of one element. */
#include "common/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory_limit.h"

void memory_init(memory *mem, size_t M)
{
    memset(mem, 0, sizeof *mem);
    mem->M = M;
}

void memory_reset(memory *mem)
{
    for (size_t b = 0; b < mem->blocks; b++)
        free(mem->block[b]);
    mem->blocks = 0;
    mem->on_chip = mem->scratch = mem->extra = 0;
    mem->error = MEMORY_OK;
    mem->message[0] = '\0';
}

void memory_raise(memory *mem, const memory *used)
{
    mem->on_chip = max_size(mem->on_chip, used->on_chip);
    mem->scratch = max_size(mem->scratch, used->scratch);
    mem->extra = max_size(mem->extra, used->extra);
}

void memory_return(memory *mem, memory *own)
{
    if (own->error && !mem->error) {
        mem->error = own->error;
        memcpy(mem->message, own->message, sizeof mem->message);
    }
    memory_reset(own);
}

/* Sets the error and its message, unless mem already has an error. */
__attribute__((format(printf, 3, 4))) static matrix
failed(memory *mem, int error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (!mem->error)
        vsnprintf(mem->message, sizeof mem->message, format, arguments);
    va_end(arguments);
    mem->error = mem->error ? mem->error : error;
    return (matrix){NULL, 0, 0, 0};
}

static matrix unset(memory *mem, size_t rows, size_t cols, size_t *total)
{
    size_t size = rows * cols;
    char why[MEMORY_WHY];
    float *data = NULL;

    if (mem->error)
        return (matrix){NULL, 0, 0, 0};
    if (mem->blocks == MEMORY_MAX_BLOCKS)
        return failed(mem, MEMORY_FULL,
                      "more than %d arrays: a kernel has to allocate them "
                      "once, before its loops",
                      MEMORY_MAX_BLOCKS);
    if (memory_exceeded_by((double)rows * (double)cols * sizeof *data, why))
        return failed(mem, MEMORY_FULL,
                      "out of memory for an array of %zu x %zu floats, in all "
                      "%s",
                      rows, cols, why);
    if (cols == 0 || rows <= SIZE_MAX / sizeof *data / cols)
        data = malloc(size ? size * sizeof *data : 1);
    if (!data)
        return failed(mem, MEMORY_FULL,
                      "out of memory for an array of %zu x %zu floats", rows,
                      cols);
    mem->block[mem->blocks++] = data;
    *total += size;
    return matrix_of(data, rows, cols);
}

static matrix fresh(memory *mem, size_t rows, size_t cols, size_t *total)
{
    matrix a = unset(mem, rows, cols, total);

    if (a.data) /* the poison value of is_unwritten (matrix.h) */
        memset(a.data, 0xff, rows * cols * sizeof *a.data);
    return a;
}

matrix on_chip(memory *mem, size_t rows, size_t cols)
{
    if (mem->M != MEMORY_UNBOUNDED && cols != 0 &&
        (mem->on_chip > mem->M || rows > (mem->M - mem->on_chip) / cols))
        return failed(mem, MEMORY_TOO_SMALL,
                      "on-chip memory of %zu elements is too small: %zu in "
                      "use, and a tile of %zu x %zu requested",
                      mem->M, mem->on_chip, rows, cols);
    return fresh(mem, rows, cols, &mem->on_chip);
}

matrix scratch(memory *mem, size_t rows, size_t cols)
{
    return fresh(mem, rows, cols, &mem->scratch);
}

float *scratch_floats(memory *mem, size_t n)
{
    return scratch(mem, n, 1).data;
}

float *scratch_unset(memory *mem, size_t n)
{
    return unset(mem, n, 1, &mem->scratch).data;
}

matrix on_chip_unbounded(memory *mem, size_t rows, size_t cols)
{
    return scratch(mem, rows, cols);
}

array hbm_scratch(memory *mem, size_t rows, size_t cols, precision type)
{
    return (array){.hbm = fresh(mem, rows, cols, &mem->extra), .type = type};
}

void load_as(memory *mem, account b, matrix *tile, array a, span i)
{
    tile->rows = i.n;
    for (size_t r = 0; r < i.n && tile->cols > 0; r++)
        memcpy(row(*tile, r), row(a.hbm, i.first + r),
               tile->cols * sizeof(float));
    mem->counts.read[b] += i.n * tile->cols;
    mem->loads++;
    if (mem->watch)
        mem->watch(mem->watcher, false, a, i.first, *tile);
}

void store_as(memory *mem, account b, array a, span i, matrix tile)
{
    tile.rows = i.n;
    for (size_t r = 0; r < i.n; r++)
        for (size_t c = 0; c < tile.cols; c++)
            row(a.hbm, i.first + r)[c] = round_to(a.type, row(tile, r)[c]);
    mem->counts.written[b] += i.n * tile.cols;
    if (mem->watch)
        mem->watch(mem->watcher, true, a, i.first, tile);
}

void load_floats_as(memory *mem, account b, float *x, array a, span i)
{
    matrix tile = matrix_of(x, i.n, 1);

    load_as(mem, b, &tile, a, i);
}

void store_floats_as(memory *mem, account b, array a, span i, float *x)
{
    store_as(mem, b, a, i, matrix_of(x, i.n, 1));
}

void load(memory *mem, matrix *tile, array a, span i)
{
    load_as(mem, ALGORITHM, tile, a, i);
}

void store(memory *mem, array a, span i, matrix tile)
{
    store_as(mem, ALGORITHM, a, i, tile);
}

void load_floats(memory *mem, float *x, array a, span i)
{
    load_floats_as(mem, ALGORITHM, x, a, i);
}

void store_floats(memory *mem, array a, span i, float *x)
{
    store_floats_as(mem, ALGORITHM, a, i, x);
}

void fill_as(memory *mem, account b, array a, float x)
{
    fill(a.hbm, x);
    mem->counts.written[b] += a.hbm.rows * a.hbm.cols;
}

void clear(matrix *tile, span i)
{
    tile->rows = i.n;
    fill(*tile, 0);
}

void fill_floats(float *x, span i, float value)
{
    fill(matrix_of(x, 1, i.n), value);
}
