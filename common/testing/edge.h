/* Moves an array to the end of accessible memory, to detect overruns. */
#ifndef COMMON_EDGE_H
#define COMMON_EDGE_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/matrix.h"
#include "common/testing/run_tests.h"

/* An array that is moved directly before a protected page. An access beyond its
 * last element crashes, with or without a sanitizer. */
typedef struct {
    matrix *a;
    float *was;
    void *block;
    char *end;
} edge;

static inline size_t edge_page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static inline edge to_the_edge(matrix *a)
{
    size_t bytes = a->rows * a->cols * sizeof *a->data;
    size_t room = tiles(bytes, edge_page()) * edge_page();
    edge e = {.a = a, .was = a->data};

    assert_int_equal(posix_memalign(&e.block, edge_page(), room + edge_page()),
                     0);
    e.end = (char *)e.block + room;
    a->data = memcpy(e.end - bytes, e.was, bytes);
    assert_int_equal(mprotect(e.end, edge_page(), PROT_NONE), 0);
    return e;
}

static inline void back(edge e)
{
    memcpy(e.was, e.a->data, e.a->rows * e.a->cols * sizeof *e.was);
    assert_int_equal(mprotect(e.end, edge_page(), PROT_READ | PROT_WRITE), 0);
    free(e.block);
    e.a->data = e.was;
}

#endif
