/*
 * Adds a sink to any step. docs/variants.md
 */
#ifndef VARIANTS_SINK_H
#define VARIANTS_SINK_H

#include "common/step.h"

/* A step after which sinks are merged into O and L; and into m, l or P, if the
 * step writes them. */
typedef struct {
    attention_step step;         /* this one runs instead of the plain one */
    const attention_step *plain; /* computes O and L without the sinks */
    const float *sinks;          /* Hq finite scores, one per query head */
    const float *L;              /* of the first head: locates the others */
    size_t Nq, Hq;
} step_with_sinks;

/* Wraps the step for the layer whose arrays are set. s must not be moved. */
void add_sinks(step_with_sinks *s, const attention_step *plain, const layer *l,
               const float *sinks);

#endif
