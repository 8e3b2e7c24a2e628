/*
 * Random inputs and sizes of a test. The number VARIANT in the environment
 * changes them, so that hard-coded answers fail. If VARIANT is not set or 0,
 * the functions return the usual values.
 */
#ifndef COMMON_VARIANT_H
#define COMMON_VARIANT_H

#include "common/data/random.h"

/* Returns random_seed of a seed that depends on `seed` and VARIANT. */
random_source variant_seed(uint64_t seed);

/* Returns the usual size, or with VARIANT a size from least to most. `where` is
 * a number that no other size in the program has. */
size_t variant_size(uint64_t where, size_t usual, size_t least, size_t most);

/* Returns the usual number, or with VARIANT a multiple of 1/8 from least to
 * most, which float represents exactly. */
float variant_number(uint64_t where, float usual, float least, float most);

/* variant_shift returns a number that tests add to scores (usually 0).
 * variant_factor returns a factor of values (usually 1). */
float variant_shift(void);
float variant_factor(void);

#endif
