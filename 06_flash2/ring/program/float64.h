/*
 * How far a rank's rows are from the truth: float64, of all keys.
 */
#ifndef RING_FLOAT64_H
#define RING_FLOAT64_H

#include "06_flash2/ring/program/source.h"

/*
 * ||O - truth|| / ||truth||, over the rows of all ranks: every one, or an even
 * sample of some 64 a head and chunk. K and V come from the source a few rows
 * at a time, so that a rank needs no room for them. Called by all; NaN if an
 * element is NaN, or cannot be compared.
 */
double error_of_ranks(const rank *me, const source *s);

#endif
