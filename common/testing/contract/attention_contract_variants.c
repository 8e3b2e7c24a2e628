/* Tests of windows and ALiBi (docs/variants.md). */
#include "common/testing/contract/attention_contract.h"

static const size_t windows[] = {1, 2, 7, 16, 100};
enum { WINDOWS = sizeof windows / sizeof *windows };

/* With these offsets the windows are before the first key, among the keys, and
 * after the last key. */
static void check_windows(const attention_step *s, size_t Nq, size_t Nk)
{
    for (long offset = -43; offset <= 44; offset += 3)
        for (size_t w = 0; w < WINDOWS; w++) {
            auto_case c = case_of(Nq, Nk, 2, 2);

            case_exact(&c, 21);
            case_rules(&c, w % 2 == (size_t)(offset & 1), offset);
            c.h.rule.window = windows[w];
            case_spoil_unseen(&c);
            check_tiled(s, &c);
        }
}

static void a_window_shows_the_keys_near_the_query(const attention_step *s)
{
    check_windows(s, 33, 20);
    check_windows(s, 20, 33);
    check_windows(s, 1, 40);
}

/* The rows are longer than the blocks of the fast steps. */
static void a_window_slides_over_a_long_row(attention_case *c, size_t k)
{
    c->h.rule.window = windows[k];
    c->h.rule.offset = 20;
}

static void a_window_goes_with_mask_and_softcap(attention_case *c, size_t k)
{
    case_rules(c, 8 | k, 20);
}

/* The slope is a power of 2, so scores are exact. */
static void alibi_favours_the_keys_near_the_query(attention_case *c, size_t k)
{
    c->h.rule.slope = 0.125f;
    case_rules(c, k % 2, (long)(k / 2 * 3) - 43);
}

static void alibi_goes_with_all_other_rules(attention_case *c, size_t kind)
{
    c->h.rule.slope = 0.3f;
    case_rules(c, kind, 20);
}

const attention_test variant_tests[] = {
    {CHECK(a_window_shows_the_keys_near_the_query), .needs = MASKS},
    {PROBLEMS_OF(a_window_slides_over_a_long_row, WINDOWS, case_exact, 150, 170,
                 3, 2),
     .needs = MASKS, .causal_too = true},
    {PROBLEMS_OF(a_window_goes_with_mask_and_softcap, 8, case_random, 70, 90, 4,
                 3),
     .needs = MASKS | SOFTCAPS},
    {PROBLEMS_OF(alibi_favours_the_keys_near_the_query, 60, case_exact, 20, 33,
                 2, 2),
     .needs = MASKS},
    {PROBLEMS_OF(alibi_goes_with_all_other_rules, RULE_KINDS, case_random, 70,
                 90, 4, 3),
     .needs = MASKS | SOFTCAPS},
    {0},
};
