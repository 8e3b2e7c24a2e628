/*
 * Exercise 06: swap the loops of FlashAttention.
 *
 * docs/06_flash2.md; the next hint: make hint-06 E=swap_loops
 */
#ifndef SWAP_LOOPS_H
#define SWAP_LOOPS_H

#include "common/head.h"

/*
 * swap_loops.c has the kernel of chapter 05, which is correct. Its outer loop
 * is over keys, and its inner loop is over queries. The kernel loads and stores
 * O, m and l of every query for each tile of keys. Swap the two loops. Then Q,
 * O, m and l of a tile of queries stay on chip until the tile is finished.
 * Returns mem->error.
 *
 *   Q is loaded once, and O and L are stored once
 *   K and V are loaded once for each tile of queries
 *   nothing else is loaded or stored, and no HBM scratch is allocated
 *   O may be divided at every visit, as in swap_loops.c, or once at the end
 *   a query with nothing to attend to has O = 0 and L = -inf
 */
int swap_loops(const head *h, memory *mem);

#endif
