/*
 * Claims of attention_contract.h: keys that are not attended, by an additive
 * mask, by a score of -inf, or by the causal limit.
 */
#include "common/testing/contract/attention_contract.h"

#include <math.h>

#define NQ 20
#define NK 40

static const float junk[] = {NAN, INFINITY, -INFINITY};

/* A mask for query i and key j. */
typedef float mask_fn(size_t i, size_t j);

static attention_case masked(mask_fn *mask)
{
    attention_case c = case_of(NQ, NK, 4, 3);

    case_exact(&c, 11);
    case_mask(&c);
    for (size_t i = 0; i < NQ; i++)
        for (size_t j = 0; j < NK; j++)
            mask_of(&c, i)[j] = mask(i, j);
    return c;
}

static void check_mask(const attention_subject *s, mask_fn *mask)
{
    attention_case c = masked(mask);

    check_tiled(s, &c);
    case_causal(&c, NK - NQ);
    check_tiled(s, &c);
    case_free(&c);
}

/* --- Masks ---------------------------------------------------------------- */

/* A whole number: the scores stay exact. */
static float some_number(size_t i, size_t j)
{
    return (float)((i * 7 + j * 5) % 11) - 5;
}

static float all(size_t i, size_t j)
{
    (void)i, (void)j;
    return -INFINITY;
}

static float first_16(size_t i, size_t j)
{
    return j < 16 ? -INFINITY : some_number(i, j);
}

static float all_but_the_last(size_t i, size_t j)
{
    return j < NK - 1 ? -INFINITY : some_number(i, j);
}

static float all_but_the_first(size_t i, size_t j)
{
    return j > 0 ? -INFINITY : some_number(i, j);
}

static float middle(size_t i, size_t j)
{
    return j >= 10 && j < 30 ? -INFINITY : some_number(i, j);
}

static float blocks_of_5(size_t i, size_t j)
{
    return (i / 5 + j / 5) % 2 ? -INFINITY : some_number(i, j);
}

static float scattered(size_t i, size_t j)
{
    return (i * 5 + j * 3) % 4 ? -INFINITY : some_number(i, j);
}

static float every_third_row(size_t i, size_t j)
{
    return i % 3 == 0 ? -INFINITY : scattered(i, j);
}

static void a_mask_is_added_to_the_scores(void **subject)
{
    check_mask(*subject, some_number);
}

/* A row masked whole is 0 exactly, and its L is -inf; no other row minds. */
static void a_fully_masked_row_is_zero(void **subject)
{
    check_mask(*subject, all);
    check_mask(*subject, every_third_row);
}

static void masked_first_tiles_leave_no_trace(void **subject)
{
    check_mask(*subject, first_16);
    check_mask(*subject, all_but_the_last);
}

static void masked_later_tiles_leave_no_trace(void **subject)
{
    check_mask(*subject, middle);
    check_mask(*subject, all_but_the_first);
}

static void a_mask_may_be_scattered_or_in_blocks(void **subject)
{
    check_mask(*subject, blocks_of_5);
    check_mask(*subject, scattered);
}

/* Keys 10 .. 29 are masked for all queries; they hold what they like. */
static void masked_keys_may_hold_anything(void **subject)
{
    for (size_t k = 0; k < 3; k++) {
        attention_case c = masked(middle);

        for (size_t j = 10; j < 30; j++) {
            k_of(&c, j)[j % 4] = junk[k];
            v_of(&c, j)[j % 3] = junk[k];
        }
        check_tiled(*subject, &c);
        case_free(&c);
    }
}

/* Masked for some queries and attended by others: a NaN only for these. */
static void a_mask_keeps_a_nan_from_its_row(void **subject)
{
    attention_case c = masked(scattered);

    v_of(&c, 17)[1] = NAN;
    k_of(&c, 21)[0] = NAN;
    check_tiled(*subject, &c);
    case_free(&c);
}

/* Far below all other scores: e^{s - L} is 0 in fp32. But a tile of such keys
 * alone has weights of its own, until it meets another. */
static float both_ends_far_below(size_t i, size_t j)
{
    return some_number(i, j) - (j < 16 || j >= 32 ? 20000 : 0);
}

static void a_value_of_weight_0_may_be_anything(void **subject)
{
    for (size_t k = 0; k < 3; k++) {
        attention_case c = masked(both_ends_far_below);

        for (size_t j = 0; j < NK; j++)
            if (j < 16 || j >= 32)
                v_of(&c, j)[j % 3] = junk[k];
        check_tiled(*subject, &c);
        case_free(&c);
    }
}

/* --- A score of -inf, without a mask -------------------------------------- */

static void a_score_of_minus_infinity_is_not_attended(void **subject)
{
    attention_case c = case_of_scores(NQ, NK, 3);

    for (size_t j = 0; j < NK; j++)
        case_score(&c, j, j < 20 || j % 3 ? -INFINITY : (float)j / 4);
    check_tiled(*subject, &c);
    for (size_t j = 0; j < NK; j++)
        case_score(&c, j, -INFINITY);
    check_tiled(*subject, &c);
    case_free(&c);
}

/* --- The causal limit ----------------------------------------------------- */

/* K and V beyond what the last query sees become NaN and inf. */
static void spoil_beyond_all_limits(attention_case *c)
{
    for (size_t j = keys_seen_by(&c->h, 0, c->h.Nq); j < c->h.Nk; j++)
        for (size_t k = 0; k < c->h.d; k++) {
            k_of(c, j)[k] = j % 2 ? NAN : INFINITY;
            v_of(c, j)[k] = j % 2 ? INFINITY : NAN;
        }
}

/* -67 .. 67: no query sees a key, some do, all see all. */
static void check_offsets(const attention_subject *s, size_t Nq, size_t Nk)
{
    for (long offset = -67; offset <= 67; offset++) {
        attention_case c = case_of(Nq, Nk, 2, 2);

        case_exact(&c, 12);
        case_causal(&c, offset);
        spoil_beyond_all_limits(&c);
        check_tiled(s, &c);
        case_free(&c);
    }
}

static void every_causal_offset_is_right(void **subject)
{
    check_offsets(*subject, 33, 20);
    check_offsets(*subject, 20, 33);
}

static void offsets_beyond_all_keys_are_no_limit(void **subject)
{
    const long offsets[] = {-1000000, -(long)NQ, NK, 1000000};

    for (size_t o = 0; o < 4; o++) {
        attention_case c = case_of(NQ, NK, 2, 2);

        case_exact(&c, 13);
        case_causal(&c, offsets[o]);
        check_tiled(*subject, &c);
        case_free(&c);
    }
}

/* One NaN or inf in K or V of one key reaches the queries that see that key,
 * and no other: the tile that loads it has both kinds. */
static void a_nan_beyond_a_rows_limit_is_not_seen(void **subject)
{
    for (size_t j = 0; j < NK; j += 3)
        for (size_t k = 0; k < 2; k++) {
            attention_case c = case_of(NK, NK, 2, 2);

            case_exact(&c, 14);
            case_causal(&c, 0);
            v_of(&c, j)[0] = junk[k];
            check_tiled(*subject, &c);
            k_of(&c, j)[1] = NAN;
            check_tiled(*subject, &c);
            case_free(&c);
        }
}

const attention_claim mask_claims[] = {
    CLAIM(a_mask_is_added_to_the_scores, MASKS),
    CLAIM(a_fully_masked_row_is_zero, MASKS),
    CLAIM(masked_first_tiles_leave_no_trace, MASKS),
    CLAIM(masked_later_tiles_leave_no_trace, MASKS),
    CLAIM(a_mask_may_be_scattered_or_in_blocks, MASKS),
    CLAIM(masked_keys_may_hold_anything, MASKS),
    CLAIM(a_mask_keeps_a_nan_from_its_row, MASKS | OWN_LIMITS),
    CLAIM(a_value_of_weight_0_may_be_anything,
          MASKS | OWN_LIMITS | VALUES_ALONE),
    CLAIM(a_score_of_minus_infinity_is_not_attended, 0),
    CLAIM(every_causal_offset_is_right, 0),
    CLAIM(offsets_beyond_all_keys_are_no_limit, 0),
    CLAIM(a_nan_beyond_a_rows_limit_is_not_seen, OWN_LIMITS | VALUES_ALONE),
    {0},
};
