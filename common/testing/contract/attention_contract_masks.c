/* Tests of keys that are not attended. */
#include "common/testing/contract/attention_contract.h"

#include <math.h>

enum { NQ = 20, NK = 40 };

static const float junk[] = {NAN, INFINITY, -INFINITY};

/* Adds a mask of whole numbers, so that scores stay exact, with -inf for keys
 * from .. to - 1. */
static void mask_out(attention_case *c, size_t from, size_t to)
{
    case_mask(c);
    for (size_t i = 0; i < NQ; i++)
        for (size_t j = 0; j < NK; j++)
            mask_of(c, i)[j] = from <= j && j < to
                                   ? -INFINITY
                                   : (float)((i * 7 + j * 5) % 11) - 5;
}

static void mask_scattered(attention_case *c)
{
    mask_out(c, 0, 0);
    for (size_t i = 0; i < NQ; i++)
        for (size_t j = 0; j < NK; j++)
            if ((i * 5 + j * 3) % 4)
                mask_of(c, i)[j] = -INFINITY;
}

static void a_mask_is_added_to_the_scores(attention_case *c, size_t k)
{
    mask_out(c, k, k);
}

/* NaN and inf in Q and dO of a masked row change no other row. */
static void a_fully_masked_row_is_zero(attention_case *c, size_t k)
{
    mask_out(c, 0, k == 0 ? NK : 0);
    for (size_t i = 0; k > 0 && i < NQ; i += 3) {
        for (size_t j = 0; j < NK; j++)
            mask_of(c, i)[j] = -INFINITY;
        q_of(c, i)[i % c->h.d] = junk[k - 1];
        dO_of(c, i)[i % c->h.dv] = junk[k - 1];
    }
}

static void masked_tiles_change_nothing(attention_case *c, size_t k)
{
    const size_t keys[][2] = {{0, 16}, {0, NK - 1}, {10, 30}, {1, NK}};

    mask_out(c, keys[k][0], keys[k][1]);
}

static void a_mask_may_be_scattered_or_in_blocks(attention_case *c, size_t k)
{
    mask_scattered(c);
    for (size_t i = 0; k == 0 && i < NQ; i++)
        for (size_t j = 0; j < NK; j++)
            mask_of(c, i)[j] = (i / 5 + j / 5) % 2 ? -INFINITY : 1;
}

/* K and V of the masked keys contain NaN or inf. */
static void masked_keys_may_hold_anything(attention_case *c, size_t k)
{
    mask_out(c, 10, 30);
    for (size_t j = 10; j < 30; j++) {
        k_of(c, j)[j % 4] = junk[k];
        v_of(c, j)[j % 3] = junk[k];
    }
}

static void a_mask_keeps_a_nan_from_its_row(attention_case *c, size_t k)
{
    float *const broken[] = {&k_of(c, 21)[0], &q_of(c, 5)[1], &dO_of(c, 7)[2]};

    mask_scattered(c);
    *broken[k] = NAN;
    if (k == 0)
        v_of(c, 17)[1] = NAN; /* masked for the same queries as key 21 */
}

/* The keys outside 16 .. 31 have scores so far below the maximum that e^{s - L}
 * is 0 in fp32. A tile that has only such keys has positive weights until it is
 * merged with another tile. */
static void a_value_of_weight_0_may_be_anything(attention_case *c, size_t k)
{
    mask_out(c, 0, 0);
    for (size_t j = 0; j < NK; j++) {
        if (j >= 16 && j < 32)
            continue;
        v_of(c, j)[j % 3] = junk[k];
        for (size_t i = 0; i < NQ; i++)
            mask_of(c, i)[j] -= 20000;
    }
}

/* Here q . k is -inf; the head has no mask. */
static void a_score_of_minus_infinity_is_not_attended(attention_case *c,
                                                      size_t k)
{
    for (size_t j = 0; j < NK; j++)
        case_score(c, j, k > 0 || j < 20 || j % 3 ? -INFINITY : (float)j / 4);
}

/* Keys that no query sees, and queries that see no key, contain NaN and inf. */
static void check_offset(const attention_step *s, size_t Nq, size_t Nk,
                         long offset)
{
    auto_case c = case_of(Nq, Nk, 2, 2);

    case_exact(&c, 12);
    case_causal(&c, offset);
    case_spoil_unseen(&c);
    check_tiled(s, &c);
}

/* The first offsets exclude all keys for all queries; the last exclude none. */
static void every_causal_offset_is_right(const attention_step *s)
{
    for (long offset = -66; offset <= 66; offset += (long)one_in_if_slow(6)) {
        check_offset(s, 33, 20, offset);
        check_offset(s, 20, 33, offset);
    }
}

/* Some offsets exceed a block of a fast step, or the number of keys. */
static void causal_offsets_may_be_large(const attention_step *s)
{
    const long offsets[] = {-1000000, -200, -64, -3, 1, 35, 170, 1000000};

    for (size_t k = 0; k < sizeof offsets / sizeof offsets[0];
         k += one_in_if_slow(3)) {
        check_offset(s, 150, 170, offsets[k]);
        check_offset(s, 70, 200, offsets[k]);
    }
}

/* A NaN in K, or a NaN or inf in V, reaches only rows of queries that see the
 * key. The rows of K and V are wide enough for vector code. */
static void a_nan_beyond_a_rows_limit_is_not_seen(attention_case *c, size_t k)
{
    size_t j = k / 4 * 3;

    case_causal(c, 0);
    v_of(c, j)[c->h.dv / 2] = junk[k % 2];
    if (k % 4 > 1)
        k_of(c, j)[c->h.d - 1] = NAN;
}

const attention_test mask_tests[] = {
    {PROBLEMS(a_mask_is_added_to_the_scores, 1), .needs = MASKS,
     .causal_too = true},
    {PROBLEMS(a_fully_masked_row_is_zero, 4), .needs = MASKS,
     .causal_too = true},
    {PROBLEMS(masked_tiles_change_nothing, 4), .needs = MASKS,
     .causal_too = true},
    {PROBLEMS(a_mask_may_be_scattered_or_in_blocks, 2), .needs = MASKS,
     .causal_too = true},
    {PROBLEMS(masked_keys_may_hold_anything, 3), .needs = MASKS,
     .causal_too = true},
    {PROBLEMS(a_mask_keeps_a_nan_from_its_row, 3), .needs = MASKS | OWN_LIMITS,
     .causal_too = true},
    {PROBLEMS(a_value_of_weight_0_may_be_anything, 3),
     .needs = MASKS | OWN_LIMITS | VALUES_ALONE},
    {OF_SCORES(a_score_of_minus_infinity_is_not_attended, 2)},
    {CHECK(every_causal_offset_is_right)},
    {CHECK(causal_offsets_may_be_large)},
    {PROBLEMS_OF(a_nan_beyond_a_rows_limit_is_not_seen, 56, case_exact, NK, NK,
                 17, 40),
     .needs = OWN_LIMITS | VALUES_ALONE},
    {0},
};
