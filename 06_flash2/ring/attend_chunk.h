/*
 * The kernel of ring/: one head's queries against a chunk of its keys.
 */
#ifndef RING_ATTEND_CHUNK_H
#define RING_ATTEND_CHUNK_H

#include "common/head.h"

/*
 * result: h->Nq rows (m, l, o_0 .. o_{dv-1}), into which the chunk is merged;
 * o is stored as h->stored. h->O and h->L are not touched. Returns mem->error;
 * the caller resets mem.
 */
int attend_chunk(const head *h, matrix result, memory *mem);

#endif
