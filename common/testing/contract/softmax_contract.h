/*
 * The claims that every softmax keeps, as tests. Any softmax_fn can be handed
 * in, with the number of passes that it makes over the row:
 *
 *     const struct CMUnitTest tests[] = {
 *         SOFTMAX_CONTRACT(safe_softmax, 3),
 *         cmocka_unit_test(a_claim_of_its_own),
 *     };
 *
 * Include it after run_tests.h. Tolerances: softmax_check.h.
 */
#ifndef COMMON_SOFTMAX_CONTRACT_H
#define COMMON_SOFTMAX_CONTRACT_H

#include "common/testing/softmax_check.h"

/* All claims of a step that takes the row element by element. */
#define SOFTMAX_CONTRACT(step, passes)                                         \
    SOFTMAX_SMALL_SCORES(#step, step, passes, 64),                             \
        SOFTMAX_BIG_SCORES(#step, step, passes, 64)

/* All claims of a step that takes it in blocks of that many elements. */
#define SOFTMAX_CONTRACT_IN_BLOCKS(step, passes, block)                        \
    SOFTMAX_SMALL_SCORES(#step " in blocks of " #block, step, passes, block),  \
        SOFTMAX_BIG_SCORES(#step " in blocks of " #block, step, passes, block)

/* What holds while no e^x leaves fp32, so even of naive_softmax. */
#define SOFTMAX_CONTRACT_OF_SMALL_SCORES(step, passes)                         \
    SOFTMAX_SMALL_SCORES(#step, step, passes, 64)

/* clang-format off */
#define SOFTMAX_SMALL_SCORES(...)                                              \
    SOFTMAX_CLAIM(random_rows_are_right, __VA_ARGS__),                         \
    SOFTMAX_CLAIM(a_million_scores_are_right, __VA_ARGS__),                    \
    SOFTMAX_CLAIM(weights_sum_to_one, __VA_ARGS__),                            \
    SOFTMAX_CLAIM(a_small_shift_changes_nothing, __VA_ARGS__),                 \
    SOFTMAX_CLAIM(a_single_score_has_weight_one, __VA_ARGS__),                 \
    SOFTMAX_CLAIM(an_empty_row_is_left_alone, __VA_ARGS__),                    \
    SOFTMAX_CLAIM(ties_share_the_weight, __VA_ARGS__),                         \
    SOFTMAX_CLAIM(rising_scores_are_right, __VA_ARGS__),                       \
    SOFTMAX_CLAIM(falling_scores_are_right, __VA_ARGS__),                      \
    SOFTMAX_CLAIM(sawtooth_scores_are_right, __VA_ARGS__),                     \
    SOFTMAX_CLAIM(the_first_score_may_dominate, __VA_ARGS__),                  \
    SOFTMAX_CLAIM(the_middle_score_may_dominate, __VA_ARGS__),                 \
    SOFTMAX_CLAIM(the_last_score_may_dominate, __VA_ARGS__),                   \
    SOFTMAX_CLAIM(denormal_differences_make_no_difference, __VA_ARGS__),       \
    SOFTMAX_CLAIM(a_masked_score_has_weight_zero, __VA_ARGS__),                \
    SOFTMAX_CLAIM(a_leading_masked_block_has_weight_zero, __VA_ARGS__),        \
    SOFTMAX_CLAIM(scattered_masked_scores_have_weight_zero, __VA_ARGS__),      \
    SOFTMAX_CLAIM(a_nan_makes_the_row_nan, __VA_ARGS__),                       \
    SOFTMAX_CLAIM(the_logsumexp_is_right, __VA_ARGS__),                        \
    SOFTMAX_CLAIM(weights_may_take_the_place_of_the_scores, __VA_ARGS__),      \
    SOFTMAX_CLAIM(narrow_storage_rounds_what_is_stored, __VA_ARGS__),          \
    SOFTMAX_CLAIM(the_passes_over_the_row_are_counted, __VA_ARGS__)

#define SOFTMAX_BIG_SCORES(...)                                                \
    SOFTMAX_CLAIM(a_score_of_89_does_not_overflow, __VA_ARGS__),               \
    SOFTMAX_CLAIM(big_scores_do_not_overflow, __VA_ARGS__),                    \
    SOFTMAX_CLAIM(very_negative_scores_do_not_underflow, __VA_ARGS__),         \
    SOFTMAX_CLAIM(big_scores_of_both_signs_are_right, __VA_ARGS__),            \
    SOFTMAX_CLAIM(a_big_shift_changes_nothing, __VA_ARGS__),                   \
    SOFTMAX_CLAIM(a_row_of_masked_scores_is_zero, __VA_ARGS__),                \
    SOFTMAX_CLAIM(plus_infinity_makes_the_row_nan, __VA_ARGS__)

/* One claim of one step, "step: claim". The step goes in as the test's state:
 * this literal stands at file scope or in main, and outlives the run. */
#define SOFTMAX_CLAIM(claim, name, step, passes, block)                        \
    {name ": " #claim, claim, NULL, NULL,                                      \
     &(softmax_subject){step, passes, block}}
/* clang-format on */

void random_rows_are_right(void **subject);
void a_million_scores_are_right(void **subject);
void weights_sum_to_one(void **subject);
void a_small_shift_changes_nothing(void **subject);
void a_single_score_has_weight_one(void **subject);
void an_empty_row_is_left_alone(void **subject);
void ties_share_the_weight(void **subject);
void rising_scores_are_right(void **subject);
void falling_scores_are_right(void **subject);
void sawtooth_scores_are_right(void **subject);
void the_first_score_may_dominate(void **subject);
void the_middle_score_may_dominate(void **subject);
void the_last_score_may_dominate(void **subject);
void denormal_differences_make_no_difference(void **subject);
void a_masked_score_has_weight_zero(void **subject);
void a_leading_masked_block_has_weight_zero(void **subject);
void scattered_masked_scores_have_weight_zero(void **subject);
void a_nan_makes_the_row_nan(void **subject);
void the_logsumexp_is_right(void **subject);
void weights_may_take_the_place_of_the_scores(void **subject);
void narrow_storage_rounds_what_is_stored(void **subject);
void the_passes_over_the_row_are_counted(void **subject);

void a_score_of_89_does_not_overflow(void **subject);
void big_scores_do_not_overflow(void **subject);
void very_negative_scores_do_not_underflow(void **subject);
void big_scores_of_both_signs_are_right(void **subject);
void a_big_shift_changes_nothing(void **subject);
void a_row_of_masked_scores_is_zero(void **subject);
void plus_infinity_makes_the_row_nan(void **subject);

#endif
