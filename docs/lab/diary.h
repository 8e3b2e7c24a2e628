/*
 * A diary of one real row: query 46 of head 3 of the bundled layer, whose
 * maximum jumps three times, followed through flash1. What is noted is what
 * flash1 itself stores to HBM after each tile of keys: m, l and O.
 */
#ifndef LAB_DIARY_H
#define LAB_DIARY_H

#include "common/problem/attention_arrays.h"

enum { MOST_TILES = 32, MOST_COLUMNS = 64 };

/* The row's state after a tile. */
typedef struct {
    float m, l, O[MOST_COLUMNS];
} row_state;

typedef struct {
    row_state after[MOST_TILES];
    size_t n; /* tiles that are done */
    const head *h;
    int stored; /* of the tile at hand: O, then m, then l */
} diary;

/* Reads the bundled arrays and gives the head of that one query. Returns 0, or
 * 1 after one line on stderr. The caller frees a, in any case. */
int diary_row(attention_arrays *a, head *one);

/* That query through flash1, in tiles of Bc keys: at most MOST_TILES. Returns
 * 0, or mem->error after one line on stderr. */
int diary_write(diary *d, head *one, size_t Bc);

#endif
