/*
 * Random inputs and sizes of a test. The number VARIANT in the environment
 * changes them, so that hard-coded answers fail. Without it, or with 0, they
 * are the usual ones.
 */
#ifndef COMMON_VARIANT_H
#define COMMON_VARIANT_H

#include "common/data/random.h"

/* Returns random_seed of the seed, changed by VARIANT. */
random_source variant_seed(uint64_t seed);

/* Returns the usual size, or with VARIANT one from least to most. where: a
 * number that is unique to this size in the program. */
size_t variant_size(uint64_t where, size_t usual, size_t least, size_t most);

/* Returns the usual number, or with VARIANT a multiple of 1/8 from least to
 * most, which float represents exactly. */
float variant_number(uint64_t where, float usual, float least, float most);

/* Return what VARIANT adds to scores (usually 0) and multiplies values with
 * (usually 1). */
float variant_shift(void);
float variant_factor(void);

#endif
