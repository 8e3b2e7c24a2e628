/*
 * HBM and on-chip memory, counted (memory.h).
 *
 * Every tile is a malloc of its own: an overrun of one element is then an
 * overrun that the sanitizers and valgrind see.
 */
#include "common/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static matrix failed(memory *mem, int error, const char *message)
{
    if (!mem->error) {
        mem->error = error;
        snprintf(mem->message, sizeof mem->message, "%s", message);
    }
    return (matrix){NULL, 0, 0, 0};
}

static matrix unset(memory *mem, size_t rows, size_t cols, size_t *total)
{
    char message[160];
    size_t size = rows * cols;
    float *data = NULL;

    if (mem->error)
        return (matrix){NULL, 0, 0, 0};
    if (cols == 0 || rows <= SIZE_MAX / sizeof(float) / cols)
        data = malloc(size ? size * sizeof(float) : 1);
    if (!data || mem->blocks == MEMORY_MAX_BLOCKS) {
        free(data);
        snprintf(message, sizeof message,
                 "out of memory for an array of %zu x %zu floats", rows, cols);
        return failed(mem, MEMORY_FULL, message);
    }
    mem->block[mem->blocks++] = data;
    *total += size;
    return matrix_of(data, rows, cols);
}

static matrix fresh(memory *mem, size_t rows, size_t cols, size_t *total)
{
    matrix a = unset(mem, rows, cols, total);

    if (a.data) /* is_unwritten */
        memset(a.data, 0xff, rows * cols * sizeof *a.data);
    return a;
}

matrix on_chip(memory *mem, size_t rows, size_t cols)
{
    char message[160];

    if (mem->M != MEMORY_UNBOUNDED && cols != 0 &&
        (mem->on_chip > mem->M || rows > (mem->M - mem->on_chip) / cols)) {
        snprintf(message, sizeof message,
                 "on-chip memory of %zu elements is too small: %zu in use, "
                 "and a tile of %zu x %zu asked for",
                 mem->M, mem->on_chip, rows, cols);
        return failed(mem, MEMORY_TOO_SMALL, message);
    }
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

matrix on_chip_whatever_M(memory *mem, size_t rows, size_t cols)
{
    return scratch(mem, rows, cols);
}

array hbm_scratch(memory *mem, size_t rows, size_t cols, precision type)
{
    return (array){fresh(mem, rows, cols, &mem->extra), type};
}

array hbm_kept(memory *mem, array kept, size_t rows, size_t cols,
               precision type)
{
    if (!kept.hbm.data)
        return hbm_scratch(mem, rows, cols, type);
    mem->extra += rows * cols;
    return kept;
}

void load_as(memory *mem, book b, matrix tile, array a, size_t i0, size_t j0)
{
    for (size_t i = 0; i < tile.rows && tile.cols > 0; i++)
        memcpy(row(tile, i), row(a.hbm, i0 + i) + j0,
               tile.cols * sizeof(float));
    mem->counts.read[b] += tile.rows * tile.cols;
    if (mem->watch)
        mem->watch(mem->watcher, false, a, i0, tile);
}

void store_as(memory *mem, book b, array a, size_t i0, size_t j0, matrix tile)
{
    for (size_t i = 0; i < tile.rows; i++)
        for (size_t c = 0; c < tile.cols; c++)
            row(a.hbm, i0 + i)[j0 + c] = round_to(a.type, row(tile, i)[c]);
    mem->counts.written[b] += tile.rows * tile.cols;
    if (mem->watch)
        mem->watch(mem->watcher, true, a, i0, tile);
}

void load(memory *mem, matrix tile, array a, size_t i0, size_t j0)
{
    load_as(mem, ALGORITHM, tile, a, i0, j0);
}

void store(memory *mem, array a, size_t i0, size_t j0, matrix tile)
{
    store_as(mem, ALGORITHM, a, i0, j0, tile);
}

void fill_as(memory *mem, book b, array a, float x)
{
    fill(a.hbm, x);
    mem->counts.written[b] += a.hbm.rows * a.hbm.cols;
}
