/*
 * SplitMix64, and distributions of its numbers (random.h).
 *
 * Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
 * OOPSLA 2014, with the mixing constants of Java's SplittableRandom.
 */
#include "common/data/random.h"

#include <math.h>

random_source random_seed(uint64_t seed)
{
    return (random_source){seed};
}

uint64_t random_bits(random_source *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15; /* 2^64 / golden ratio */

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

size_t random_below(random_source *r, size_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n; /* a multiple of n */
    uint64_t bits;

    /* If bits >= limit were used, small remainders would be more frequent. */
    do
        bits = random_bits(r);
    while (bits >= limit);
    return (size_t)(bits % n);
}

double random_uniform(random_source *r)
{
    return (double)(random_bits(r) >> 11) * 0x1p-53;
}

/* The method of Box and Muller. */
double random_normal(random_source *r)
{
    double u = 1 - random_uniform(r); /* in (0, 1], so log(u) is finite */
    double angle = 6.283185307179586 * random_uniform(r);

    return sqrt(-2 * log(u)) * cos(angle);
}

void random_fill(random_source *r, float *x, size_t n, double sigma)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(sigma * random_normal(r));
}
