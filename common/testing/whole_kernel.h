/*
 * Tests of a kernel that a student writes from an empty body: from one tile to
 * any shape, against float64. Each failure prints a hint. The claims test
 * whole_kernel, which the test program defines.
 */
#ifndef COMMON_WHOLE_KERNEL_H
#define COMMON_WHOLE_KERNEL_H

#include "common/testing/attention_check.h"

extern const attention_step whole_kernel;

/* Fail the running test unless O and L of the case are within the tolerances in
 * tiles of Br x Bc; why: the hint. The second function makes an exact case. */
void whole_kernel_gives(attention_case *c, size_t Br, size_t Bc,
                        const char *why);
void whole_kernel_does(size_t Nq, size_t Nk, size_t Br, size_t Bc,
                       const char *why);

/* whole_kernel_case returns an exact case of N queries and N keys, for the
 * tests of traffic. whole_kernel_moves frees the case, and fails the test
 * unless O and L are right, tiles of Br queries and Bc keys are on chip, Q, O
 * and L cross HBM once, and `keys` rows of K and of V. It prints the formula
 * and its reason. */
attention_case whole_kernel_case(size_t N, size_t d, size_t Br, size_t Bc);
void whole_kernel_moves(attention_case *c, size_t keys, const char *formula,
                        const char *why);

/* Fails the test unless O and L are right and the kernel has on chip only tiles
 * of Br rows of Q and O (1, if Br is 0) and of Bc rows of K and V; what:
 * describes these tiles. */
void whole_kernel_takes(size_t Br, size_t Bc, const char *what);

/* The claims; two of them are for kernels with the queries in the outer
 * loop. */
void one_tile_is_attention(void **state);
void a_second_tile_of_keys_is_added(void **state);
void a_larger_maximum_rescales_what_there_is(void **state);
void every_tile_of_queries_begins_anew(void **state);
void keys_come_once_for_each_tile_of_queries(void **state);
void tiles_need_not_divide_the_sizes(void **state);
void each_query_sees_its_own_keys(void **state);
void a_masked_first_tile_leaves_no_trace(void **state);
void any_head_is_right(void **state);

#endif
