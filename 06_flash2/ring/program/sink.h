/*
 * O and L into .npy files: each rank writes its own rows, and the names appear
 * when all of them are there.
 */
#ifndef RING_SINK_H
#define RING_SINK_H

#include "06_flash2/ring/program/source.h"

/*
 * Writes this rank's rows of O to out and, unless lse is NULL, of L to lse:
 * called by all ranks after a step. Returns 0 on all, or 1 on all after one
 * line on stderr: then neither file is new.
 */
int sink_write(const rank *me, const source *s, owner_rule *owns,
               const char *out, const char *lse);

#endif
