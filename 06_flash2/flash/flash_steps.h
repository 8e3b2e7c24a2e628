/*
 * The steps that `flash` runs by name. Two files define these functions:
 * steps.c for chapters 01 to 06, and 07_cuda/flash_steps.c for chapter 07.
 */
#ifndef FLASH_STEPS_H
#define FLASH_STEPS_H

#include "common/gradients.h"
#include "common/softmax_row.h"

/* The choices of `--type`, and the type of choice k. */
extern const char *const step_types[];
precision step_type(size_t choice);

typedef struct {
    const char *chapter, *name, *idea;
    const attention_step *step; /* a forward step, or NULL */
    const backward_step *back;  /* a backward step, or NULL */
    bool is_variant; /* in a sweep only if named: it may refuse a problem */
} listed_step;

typedef struct {
    const char *chapter;
    const softmax_step *step;
} listed_softmax;

enum { MOST_LISTED = 48 };

/* Write the steps in the order of the chapters, and return their number. `type`
 * selects among steps that exist for several types. */
size_t softmax_steps(listed_softmax list[MOST_LISTED]);
size_t forward_steps(listed_step list[MOST_LISTED], precision type);
size_t backward_steps(listed_step list[MOST_LISTED]);

/* Returns the name of the fastest step for the layer. tiled: only steps with
 * counted traffic whose tile sizes can be chosen. blocks: only steps that
 * support a block mask, if there is one. */
const char *fastest_forward(const layer *l, bool tiled, bool blocks);
const char *fastest_backward(bool tiled);

/* steps_have_M: false if the forward steps use the memory of a real machine, so
 * that --sram, --br and --bc do not exist. steps_have_types: true if --type
 * chooses among their types. */
extern const bool steps_have_M, steps_have_types;

#endif
