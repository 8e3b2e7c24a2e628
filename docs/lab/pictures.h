/*
 * What pictures are drawn from: kernels on the bundled layer, watched or asked.
 * Each function prints tab-separated lines, which the comment on it names, and
 * returns 0, or another exit code after one line on stderr.
 */
#ifndef LAB_PICTURES_H
#define LAB_PICTURES_H

#include "common/lesson/measure.h"

#define M_ON_CHIP 8192 /* elements, as in the chapters' programs */

typedef int picture(const layer *bundled, const char *word);

/* visits.c: in which order tiles come, and what that moves */
picture print_desk, print_moves;

/* row.c: a row's running state, and two halves of it */
picture print_row, print_halves;

/* scores.c: who looks at whom, and where fp16 overflows */
picture print_sentence, print_overflow;

/* The step on the head with M elements on chip, told of each load and store
 * if watch is not NULL. Returns mem->error, after one line on stderr. */
int watched(const attention_step *step, const head *h, size_t M,
            memory_watch *watch, void *watcher, memory *mem);

#endif
