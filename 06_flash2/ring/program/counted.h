/*
 * Bytes that this rank has handed to MPI since its beginning (counted.c).
 */
#ifndef RING_COUNTED_H
#define RING_COUNTED_H

#include <mpi.h>
#include <stddef.h>

typedef struct {
    size_t sent, messages; /* to other ranks */
    size_t read, written;  /* of files */
} traffic;

extern traffic counted;

#endif
