/*
 * The steppers' pictures and tables, as HTML with SVG inside: the same bytes
 * from the program that makes the book and from the browser that steps.
 */
#ifndef BOOK_DRAW_H
#define BOOK_DRAW_H

#include "tools/book/steps/online_steps.h"
#include "tools/book/steps/text.h"
#include "tools/book/steps/tile_steps.h"

/* Online softmax after the first `shown` keys. */
void draw_online(text *t, const online_steps *all, size_t shown);

/* FlashAttention beside FlashAttention-2 after `shown` visits of each. */
typedef struct {
    size_t N, d, M;
    tile_steps flash1, flash2;
} tile_race;

void race(tile_race *r, size_t N, size_t d, size_t M);
void draw_tiles(text *t, const tile_race *r, size_t shown);

#endif
