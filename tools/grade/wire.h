/*
 * A message over a socket: one word that says what it is, its length, and the
 * bytes. Judge and worker share this and nothing else.
 */
#ifndef GRADE_WIRE_H
#define GRADE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_BYTES ((size_t)64 << 20) /* a message may have */

enum { ANSWER, QUESTION };

typedef struct {
    unsigned char *data;
    size_t size, at;
} message;

extern message going, came;

/* Sends `going` and empties it; false if nobody is there. */
bool wire_send(int fd, uint64_t kind);
/* Waits until `came` is there; false at its end, or when deadline (a time by
 * wire_now) is over. */
bool wire_receive(int fd, double deadline, uint64_t *kind);
double wire_now(void);

#endif
