/*
 * Tests of a kernel that a student writes or changes. They compare its results
 * with float64, and check HBM traffic and on-chip memory. The tested step is
 * whole_kernel, which the test program defines.
 */
#ifndef COMMON_WHOLE_KERNEL_H
#define COMMON_WHOLE_KERNEL_H

#include "common/testing/attention_check.h"

extern const attention_step whole_kernel;

/* Fails unless O and L are right in tiles of Br x Bc. `why`: hint about O. */
void whole_kernel_gives(attention_case *c, size_t Br, size_t Bc,
                        const char *why);

/* Calls whole_kernel_gives with an exact case of these sizes. */
void whole_kernel_does(size_t Nq, size_t Nk, size_t Br, size_t Bc,
                       const char *why);

/* Returns an exact case of N queries and N keys, for whole_kernel_moves. */
attention_case whole_kernel_case(size_t N, size_t d, size_t Br, size_t Bc);

/* Runs the kernel. Fails the running test unless O and L are right and tiles of
 * Br queries and Bc keys are on chip. Q, O and L must be moved once, and `keys`
 * rows of K and of V. A failure prints the formula and the hint `why`. */
void whole_kernel_moves(attention_case *c, size_t keys, const char *formula,
                        const char *why);

/* Fails the running test unless O and L are right and exactly these tiles are
 * on chip: Br rows of Q and O (1 row if Br is 0), and Bc rows of K and V.
 * `what` describes them in the message. */
void whole_kernel_takes(size_t Br, size_t Bc, const char *what);

/* The tests. Those with "tile of queries" in the name apply only to kernels
 * with the queries in the outer loop. */
void one_tile_is_attention(void **state);
void a_second_tile_of_keys_is_added(void **state);
void a_larger_maximum_rescales_what_there_is(void **state);
void every_tile_of_queries_initialises_O_m_l(void **state);
void keys_come_once_for_each_tile_of_queries(void **state);
void tiles_need_not_divide_the_sizes(void **state);
void each_query_sees_its_own_keys(void **state);
void a_masked_first_tile_leaves_no_trace(void **state);
void any_head_is_right(void **state);

#endif
