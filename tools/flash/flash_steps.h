/*
 * The steps that `flash` runs by name. Two files define these functions:
 * steps.c for chapters 01 to 06, and cuda_steps.c for chapter 07.
 */
#ifndef FLASH_STEPS_H
#define FLASH_STEPS_H

#include "common/gradients.h"
#include "common/softmax_row.h"

/* The choices of the option --type; NULL ends them. */
extern const char *const step_types[];

precision step_type(size_t choice);

typedef struct {
    const char *chapter, *name, *idea;
    const attention_step *step; /* a forward step, or NULL */
    const backward_step *back;  /* a backward step, or NULL */
    /* A variant may refuse a problem. A sweep runs it only by name. */
    bool is_variant;
    const softmax_step *softmax; /* a softmax step, or NULL */
} listed_step;

enum { MOST_LISTED = 48 };

/* Each writes its steps to the list and returns their number. If a step exists
 * for several types, `type` selects one. */
size_t softmax_steps(listed_step list[MOST_LISTED]);
size_t forward_steps(listed_step list[MOST_LISTED], precision type);
size_t backward_steps(listed_step list[MOST_LISTED]);

/* Each returns the name of the fastest step. If tiled, the step has counted
 * traffic and a choice of tile sizes. If blocks, the step supports a block
 * mask. Chapter 07 ignores both conditions. */
const char *fastest_forward(const layer *l, bool tiled, bool blocks);
const char *fastest_backward(bool tiled);

/* True for chapters 01 to 06: the options --sram, --br and --bc exist, and
 * --type rounds the inputs. If false, --type selects steps. */
extern const bool steps_have_M;

#endif
