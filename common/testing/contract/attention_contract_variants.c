/*
 * Claims of attention_contract.h: what else a problem may ask of the scores,
 * alone and with a mask, a softcap and a causal limit. docs/variants.md
 */
#include "common/testing/contract/attention_contract.h"

#include <math.h>

/* kind: causal 1, a softcap 2, a mask of whole numbers 4, which leaves some
 * keys out, a window 8. */
enum { KINDS = 16 };

static void set_rules(attention_case *c, size_t kind, long offset)
{
    c->h.rule.offset = offset;
    c->h.rule.causal = kind & 1;
    c->h.rule.softcap = kind & 2 ? 5 : 0;
    c->h.rule.window = kind & 8 ? 11 : 0;
    if (!(kind & 4))
        return;
    case_mask(c);
    for (size_t i = 0; i < c->h.Nq; i++)
        for (size_t j = 0; j < c->h.Nk; j++)
            mask_of(c, i)[j] =
                (i * 5 + j * 3) % 7 ? (float)((i + j * 5) % 4) - 2 : -INFINITY;
}

/* --- A window ------------------------------------------------------------- */

static const size_t windows[] = {1, 2, 7, 16, 100};
enum { WINDOWS = sizeof windows / sizeof *windows };

/* -43 .. 44: windows before the first key, among the keys, after the last. */
static void check_windows(const attention_step *s, size_t Nq, size_t Nk)
{
    for (long offset = -43; offset <= 44; offset += 3)
        for (size_t w = 0; w < WINDOWS; w++) {
            auto_case c = case_of(Nq, Nk, 2, 2);

            case_exact(&c, 21);
            set_rules(&c, w % 2 == (size_t)(offset & 1), offset);
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

/* Longer than the blocks of the fast steps. */
static void a_window_slides_over_a_long_row(attention_case *c, size_t k)
{
    c->h.rule.window = windows[k];
    c->h.rule.offset = 20;
}

static void a_window_goes_with_mask_and_softcap(attention_case *c, size_t k)
{
    set_rules(c, 8 | k, 20);
}

/* --- ALiBi ---------------------------------------------------------------- */

/* A power of 2 keeps the scores exact. */
static void alibi_favours_the_keys_near_the_query(attention_case *c, size_t k)
{
    c->h.rule.slope = 0.125f;
    set_rules(c, k % 2, (long)(k / 2 * 3) - 43);
}

static void alibi_goes_with_all_other_rules(attention_case *c, size_t kind)
{
    c->h.rule.slope = 0.3f;
    set_rules(c, kind, 20);
}

/* --- A sink --------------------------------------------------------------- */

static const float sinks[] = {-1e30f, -200, -3, 0, 2.5f, 30, 1e5f};
enum { SINKS = sizeof sinks / sizeof *sinks };

static void a_sink_takes_its_share(attention_case *c, size_t k)
{
    size_t kind = k % KINDS;

    c->h.rule.sink = &sinks[k / KINDS];
    set_rules(c, kind, 5 - 3 * (long)kind);
}

/* A row that sees no key has O = 0 and the sink for L. */
static void a_row_without_keys_has_its_sink(attention_case *c, size_t k)
{
    c->h.rule.sink = &sinks[k];
    set_rules(c, 1, -4);
}

/* Each of 34 additions to the sink's 1 is rounded the same way. */
static void equal_keys_behind_a_sink_are_rounded_alike(attention_case *c,
                                                       size_t k)
{
    fill(c->h.K.hbm, k == 0 ? -4.5825f : -12.704f);
    c->h.rule.sink = &sinks[3]; /* 0 */
}

/* --- A block mask --------------------------------------------------------- */

static const size_t block_sizes[] = {1, 3, 4, 8, 16, 64};
enum { BLOCK_SIZES = sizeof block_sizes / sizeof *block_sizes };

/* Blocks on the diagonal of stripes, and a few more; of size 1 or 4 some query
 * sees no key. */
static void a_block_mask_leaves_blocks_out(attention_case *c, size_t k)
{
    static float of[20 * 33];
    size_t size = block_sizes[k / KINDS];
    size_t rows = tiles(c->h.Nq, size), cols = tiles(c->h.Nk, size);

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++) {
            bool some = (i + j) % 3 == 0 || (i * j + size) % 7 == 3;

            of[i * cols + j] = i % 4 != 3 && some ? 1 : 0;
        }
    c->h.rule.blocks.of = matrix_of(of, rows, cols);
    c->h.rule.blocks.size = size;
    set_rules(c, k % KINDS, 13);
    case_spoil_unseen(c);
}

/* Longer than the blocks of the fast steps, which then skip some. */
static void a_block_mask_may_leave_whole_stretches_out(attention_case *c,
                                                       size_t k)
{
    static float of[3 * 4] = {0, 1, 0, 0, /**/ 1, 0, 0, 1, /**/ 0, 0, 0, 0};

    c->h.rule.blocks.of = matrix_of(of, 3, 4);
    c->h.rule.blocks.size = 64;
    set_rules(c, k, 60);
    case_spoil_unseen(c);
}

const attention_claim variant_claims[] = {
    {ASKS(a_window_shows_the_keys_near_the_query), .needs = MASKS},
    {PROBLEMS_OF(a_window_slides_over_a_long_row, WINDOWS, case_exact, 150, 170,
                 3, 2),
     .needs = MASKS, .causal_too = true},
    {PROBLEMS_OF(a_window_goes_with_mask_and_softcap, 8, case_random, 70, 90, 4,
                 3),
     .needs = MASKS | SOFTCAPS},
    {PROBLEMS_OF(alibi_favours_the_keys_near_the_query, 60, case_exact, 20, 33,
                 2, 2),
     .needs = MASKS},
    {PROBLEMS_OF(alibi_goes_with_all_other_rules, KINDS, case_random, 70, 90, 4,
                 3),
     .needs = MASKS | SOFTCAPS},
    {PROBLEMS_OF(a_sink_takes_its_share, KINDS *SINKS, case_random, 20, 33, 4,
                 3),
     .needs = MASKS | SOFTCAPS},
    {PROBLEMS_OF(a_row_without_keys_has_its_sink, SINKS, case_exact, 7, 5, 2,
                 3),
     .needs = MASKS},
    {PROBLEMS_OF(equal_keys_behind_a_sink_are_rounded_alike, 2, case_scores, 1,
                 34, 1, 1),
     .needs = MASKS | FORWARD_ALONE},
    {PROBLEMS_OF(a_block_mask_leaves_blocks_out, KINDS *BLOCK_SIZES,
                 case_random, 20, 33, 4, 3),
     .needs = MASKS | SOFTCAPS},
    {PROBLEMS_OF(a_block_mask_may_leave_whole_stretches_out, 2, case_exact, 150,
                 256, 3, 2),
     .needs = MASKS},
    {0},
};
