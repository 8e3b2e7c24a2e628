/*
 * Exercise 06: swap the loops of FlashAttention.
 *
 * docs/06_flash2.md; the next hint: make hint-06 E=swap_loops
 */
#ifndef SWAP_LOOPS_H
#define SWAP_LOOPS_H

#include "common/head.h"

/*
 * You are given chapter 05's kernel: the outer loop is over keys, the inner one
 * over queries, and O, m and l of every query are stored in HBM and loaded
 * again for each tile of keys. It is right. Swap the loops: queries outside,
 * keys inside. Then Q, O, m and l of a tile stay on chip until it is finished.
 *
 *   Q is loaded once, O and L are stored once; K and V are loaded once for each
 *   tile of queries; nothing else crosses HBM, and no HBM scratch is allocated
 *   O may be divided at every visit, as here, or once at the end
 *   a query with nothing to attend to: O is 0, L is -inf
 */
int swap_loops(const head *h, memory *mem);

#endif
