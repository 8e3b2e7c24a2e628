/*
 * Exercise 06: the loops of FlashAttention, swapped.
 *
 * docs/06_flash2.md; the next hint: make hint-06 E=swap_loops
 */
#ifndef SWAP_LOOPS_H
#define SWAP_LOOPS_H

#include "common/head.h"

/*
 * You are given chapter 05's kernel: keys outside, queries inside, and O, m and
 * l of every query go to HBM and back for each tile of keys. It is right.
 * Turn it inside out: queries outside, keys inside. Then Q, O, m and l of a
 * tile stay on chip until it is done.
 *
 *   Q comes from HBM once, O and L go there once; K and V come once for each
 *   tile of queries; nothing else crosses, and no HBM scratch is allocated
 *   O may be divided at every visit, as here, or once at the end
 *   a query with nothing to attend to: O is 0, L is -inf
 */
int swap_loops(const head *h, memory *mem);

#endif
