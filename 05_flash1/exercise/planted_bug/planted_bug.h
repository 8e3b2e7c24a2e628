/*
 * Exercise 05: a kernel that is right for nearly every head.
 *
 * docs/05_flash1.md; the next hint: make hint-05 E=planted_bug
 */
#ifndef PLANTED_BUG_H
#define PLANTED_BUG_H

#include "common/head.h"

/*
 * FlashAttention's Algorithm 1 as in 05_flash1/flash1.c, for any head, in tiles
 * of h->tile.Br queries and h->tile.Bc keys. Its tests on
 * random heads passed. Months later the output of a model was all zeros. One
 * line has to change; find it, and don't write the kernel anew.
 */
int planted_bug(const head *h, memory *mem);

#endif
