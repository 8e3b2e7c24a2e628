/*
 * The steppers' pictures and tables, as HTML with SVG inside: the same bytes
 * from the program that makes the book and from the browser that steps.
 */
#ifndef BOOK_DRAW_H
#define BOOK_DRAW_H

#include "tools/book/steps/online_steps.h"
#include "tools/book/steps/pipeline.h"
#include "tools/book/steps/text.h"
#include "tools/book/steps/tile_steps.h"
#include "tools/book/steps/warp_steps.h"

/* Online softmax after the first `shown` keys. */
void draw_online(text *t, const online_steps *all, size_t shown);

/* Two kernels side by side, after `shown` visits of each: FlashAttention and
 * FlashAttention-2, or the way back of FlashAttention-2 as one kernel, through
 * which dQ travels, and as two, in which every gradient stays until it is
 * done. */
typedef struct {
    size_t N, d, M;
    tile_steps one, two;
} tile_race;

void race(tile_race *r, size_t N, size_t d, size_t M);
void draw_tiles(text *t, const tile_race *r, size_t shown);

void race_back(tile_race *r, size_t N, size_t d, size_t M);
void draw_backward(text *t, const tile_race *r, size_t shown);

/* S after `shown` visits: a figure. */
void draw_grid(text *t, const tile_steps *all, const char *title, size_t N,
               size_t shown);

/* A load of a warp after the first `shown` lanes. */
void draw_warp(text *t, const warp_load *w, size_t shown);

/* Rung 10 up to its moment `shown`, of pipeline_moments_n. */
void draw_pipeline(text *t, size_t shown);

#endif
