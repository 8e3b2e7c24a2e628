/*
 * What a page of the book calls, and the program that makes the book: numbers
 * in, a picture out. What is run returns how many steps there are; a picture
 * is the text at picture(), so many bytes long, or 0 if it did not fit.
 */
#ifndef BOOK_PAGES_H
#define BOOK_PAGES_H

#include <stddef.h>

const char *picture(void);

/* n <= most_scores() scores are in scores_in(). */
float *scores_in(void);
size_t most_scores(void);
size_t show_online(size_t n, size_t shown);

size_t run_tiles(size_t N, size_t d, size_t M);
size_t show_tiles(size_t shown);

size_t run_backward(size_t N, size_t d, size_t M);
size_t show_backward(size_t shown);

size_t run_warp(size_t bytes, size_t row, size_t across, size_t swizzle);
size_t show_warp(size_t shown);

size_t run_pipeline(void);
size_t show_pipeline(size_t shown);

#endif
