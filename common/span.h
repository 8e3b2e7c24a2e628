/*
 * Rows that lie one after the other: a tile of queries, or of keys.
 *
 *     for (span j = first(10, 4); j.n; j = next(j))    rows 0-3, 4-7, 8 and 9
 */
#ifndef COMMON_SPAN_H
#define COMMON_SPAN_H

#include "common/matrix.h"

typedef struct {
    size_t first, n;  /* rows first .. first + n - 1 */
    size_t end, size; /* next takes `size` more, as far as `end` */
} span;

/* The first of the tiles of `size` rows that rows 0 to n - 1 are cut into, of
 * which the last may have fewer. first_from: that rows `at` to n - 1 are. */
static inline span first_from(size_t at, size_t n, size_t size)
{
    return (span){at, at < n ? min_size(size, n - at) : 0, n, size};
}

static inline span first(size_t n, size_t size)
{
    return first_from(0, n, size);
}

/* The one after it; of no rows behind the last. */
static inline span next(span s)
{
    return first_from(s.first + s.n, s.end, s.size);
}

/* Those n rows; all of n rows; and row i alone. */
static inline span span_of(size_t first, size_t n)
{
    return (span){first, n, first + n, n};
}

static inline span all(size_t n)
{
    return span_of(0, n);
}

static inline span one(size_t i)
{
    return span_of(i, 1);
}

#endif
