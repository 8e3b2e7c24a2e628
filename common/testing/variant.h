/*
 * Random inputs and sizes of a test, which a number in the environment,
 * VARIANT, makes others: an answer that was looked up must still be right.
 * Without it, or with 0, they are the usual ones.
 */
#ifndef COMMON_VARIANT_H
#define COMMON_VARIANT_H

#include "common/data/random.h"

/* random_seed, of a seed that VARIANT changes. */
random_source variant_seed(uint64_t seed);

/* The usual size, or one from least to most; where: what tells it from the
 * other sizes of the program. */
size_t variant_size(uint64_t where, size_t usual, size_t least, size_t most);

#endif
