/*
 * Functions that print the data of pictures, or a table of a page. Comments in
 * the files named below describe the output. word is the second argument of the
 * program, or NULL. Each function returns 0, or another exit code after one
 * line on stderr.
 */
#ifndef LAB_PICTURES_H
#define LAB_PICTURES_H

#include "common/lesson/attention/measure.h"

#define M_ON_CHIP 8192 /* elements, as in the chapters' programs */

typedef int picture(const layer *bundled, const char *word);

/* visits.c: the order of the tiles, and the traffic */
picture print_desk, print_moves;

/* row.c: the running state of a row, and the states of the row's halves */
picture print_row, print_halves;

/* scores.c: the weights of a sentence, and rows that overflow */
picture print_sentence, print_overflow;

/* Runs step on h with M elements on chip. Calls watch, if not NULL, for each
 * load and store. Returns 0, or an error after one line on stderr. */
int watched(const attention_step *step, const head *h, size_t M,
            memory_watch *watch, void *watcher, memory *mem);

#endif
