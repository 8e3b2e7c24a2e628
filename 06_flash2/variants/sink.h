/* Adds a sink to any step. docs/variants.md */
#ifndef VARIANTS_SINK_H
#define VARIANTS_SINK_H

#include "common/step.h"

/* Runs another step, then merges sinks into its O and L, and into m and l, or
 * P, if the step writes them. */
typedef struct {
    attention_step step;
    const attention_step *plain; /* without sinks */
    const float *sinks;          /* Hq finite scores, one per query head */
    const float *L; /* L of head 0; that of head n is at L + n Nq */
    size_t Nq, Hq;
} step_with_sinks;

/* Sets *s to a step that runs plain and merges the sinks, for a layer whose
 * arrays are set. The caller must pass &s->step, not a copy. */
void add_sinks(step_with_sinks *s, const attention_step *plain, const layer *l,
               const float *sinks);

#endif
