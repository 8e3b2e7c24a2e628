/*
 * Adding up counts: of reading and writing, of heads and threads (counts.h).
 */
#include "common/counts.h"

size_t counts_moved(counts c)
{
    return c.read[ALGORITHM] + c.written[ALGORITHM];
}

void counts_add(counts *total, const counts *more)
{
    for (size_t b = 0; b < BOOKS; b++) {
        total->read[b] += more->read[b];
        total->written[b] += more->written[b];
    }
    total->exps += more->exps;
    total->rescales += more->rescales;
    total->divisions += more->divisions;
    total->fallbacks += more->fallbacks;
}
