/*
 * Exercise 05: find the bug in a kernel that is right for nearly every head.
 *
 * docs/05_flash1.md; the next hint: make hint-05 E=planted_bug
 */
#ifndef PLANTED_BUG_H
#define PLANTED_BUG_H

#include "common/head.h"

/*
 * Computes FlashAttention's Algorithm 1 as 05_flash1/flash1.c does, for any
 * head, in tiles of h->tile.Br queries and h->tile.Bc keys. Returns mem->error.
 *
 * The tests of this kernel on random heads passed. Months later the output of a
 * model was all zeros. Find the one line that is wrong, and change it. Do not
 * rewrite the kernel.
 */
int planted_bug(const head *h, memory *mem);

#endif
