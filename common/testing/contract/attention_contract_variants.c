/*
 * Claims of attention_contract.h: what else a problem may ask of the scores,
 * alone and with a mask, a softcap and a causal limit. docs/variants.md
 */
#include "common/testing/contract/attention_contract.h"

#include <math.h>

/* K and V of keys that no query sees become NaN and inf. */
static void spoil_unseen(attention_case *c)
{
    for (size_t j = 0; j < c->h.Nk; j++) {
        bool seen = false;

        for (size_t i = 0; i < c->h.Nq; i++)
            seen |= sees(&c->h, i, j);
        if (!seen) {
            k_of(c, j)[j % c->h.d] = j % 2 ? NAN : INFINITY;
            v_of(c, j)[j % c->h.dv] = j % 2 ? INFINITY : NAN;
        }
    }
}

/* A mask of whole numbers, which leaves some keys out. */
static void some_mask(attention_case *c)
{
    case_mask(c);
    for (size_t i = 0; i < c->h.Nq; i++)
        for (size_t j = 0; j < c->h.Nk; j++)
            mask_of(c, i)[j] =
                (i * 5 + j * 3) % 7 ? (float)((i + j * 5) % 4) - 2 : -INFINITY;
}

/* --- A window ------------------------------------------------------------- */

static const size_t windows[] = {1, 2, 7, 16, 100};

/* -43 .. 44: windows before the first key, among the keys, behind the last. */
static void check_windows(const attention_subject *s, size_t Nq, size_t Nk)
{
    for (long offset = -43; offset <= 44; offset += 3)
        for (size_t w = 0; w < 5; w++) {
            attention_case c = case_of(Nq, Nk, 2, 2);

            case_exact(&c, 21);
            c.h.window = windows[w];
            c.h.offset = offset;
            c.h.causal = w % 2 == (size_t)(offset & 1);
            spoil_unseen(&c);
            check_tiled(s, &c);
            case_free(&c);
        }
}

static void a_window_shows_the_keys_near_the_query(void **subject)
{
    check_windows(*subject, 33, 20);
    check_windows(*subject, 20, 33);
    check_windows(*subject, 1, 40);
}

/* Longer than the blocks of the fast steps. */
static void a_window_slides_over_a_long_row(void **subject)
{
    for (size_t w = 0; w < 5; w++) {
        attention_case c = case_of(150, 170, 3, 2);

        case_exact(&c, 22);
        c.h.window = windows[w];
        c.h.offset = 20;
        check_tiled(*subject, &c);
        case_causal(&c, 20);
        check_tiled(*subject, &c);
        case_free(&c);
    }
}

static void a_window_goes_with_mask_and_softcap(void **subject)
{
    for (int kind = 0; kind < 8; kind++) {
        attention_case c = case_of(20, 40, 4, 3);

        case_random(&c, 23);
        c.h.window = 9;
        c.h.offset = 20;
        c.h.causal = kind & 1;
        c.h.softcap = kind & 2 ? 5 : 0;
        if (kind & 4)
            some_mask(&c);
        check_tiled(*subject, &c);
        case_free(&c);
    }
}

/* --- ALiBi ---------------------------------------------------------------- */

/* A power of 2 keeps the scores exact. */
static void alibi_favours_the_keys_near_the_query(void **subject)
{
    for (long offset = -43; offset <= 44; offset += 3) {
        attention_case c = case_of(20, 33, 2, 2);

        case_exact(&c, 24);
        c.h.slope = 0.125f;
        c.h.offset = offset;
        check_tiled(*subject, &c);
        case_causal(&c, offset);
        check_tiled(*subject, &c);
        case_free(&c);
    }
}

/* kind: causal 1, a softcap 2, a mask 4, a window 8. */
static void alibi_goes_with_all_other_rules(void **subject)
{
    for (int kind = 0; kind < 16; kind++) {
        attention_case c = case_of(70, 90, 4, 3);

        case_random(&c, 25);
        c.h.slope = 0.3f;
        c.h.offset = 20;
        c.h.causal = kind & 1;
        c.h.softcap = kind & 2 ? 5 : 0;
        if (kind & 4)
            some_mask(&c);
        c.h.window = kind & 8 ? 11 : 0;
        check_tiled(*subject, &c);
        case_free(&c);
    }
}

/* --- A sink --------------------------------------------------------------- */

static const float sinks[] = {-1e30f, -200, -3, 0, 2.5f, 30, 1e5f};
enum { SINKS = sizeof sinks / sizeof *sinks };

/* kind: causal 1, a softcap 2, a mask 4, a window 8. */
static void a_sink_takes_its_share(void **subject)
{
    for (int kind = 0; kind < 16; kind++)
        for (size_t k = 0; k < SINKS; k++) {
            attention_case c = case_of(20, 33, 4, 3);

            case_random(&c, 26);
            c.h.sink = &sinks[k];
            c.h.offset = 5 - 3 * kind;
            c.h.causal = kind & 1;
            c.h.softcap = kind & 2 ? 5 : 0;
            if (kind & 4)
                some_mask(&c);
            c.h.window = kind & 8 ? 11 : 0;
            check_tiled(*subject, &c);
            case_free(&c);
        }
}

/* A row that sees no key has O = 0 and the sink for L. */
static void a_row_without_keys_has_its_sink(void **subject)
{
    const attention_subject *s = *subject;

    for (size_t k = 0; k < SINKS; k++) {
        attention_case c = case_of(7, 5, 2, 3);

        case_exact(&c, 27);
        case_causal(&c, -4);
        c.h.sink = &sinks[k];
        case_run(&c, s);
        for (size_t i = 0; i < 4; i++) {
            assert_true(*row(c.h.L.hbm, i) == sinks[k]);
            for (size_t n = 0; n < 3; n++)
                assert_true(row(c.h.O.hbm, i)[n] == 0);
        }
        case_free(&c);
    }
}

/* Each of 34 additions to the sink's 1 is rounded the same way. */
static void equal_keys_behind_a_sink_are_rounded_alike(void **subject)
{
    const float scores[] = {-4.5825f, -12.704f};

    for (size_t k = 0; k < 2; k++) {
        attention_case c = case_of_scores(1, 34, 1);

        fill(c.h.K.hbm, scores[k]);
        c.h.sink = &sinks[3]; /* 0 */
        check_tiled(*subject, &c);
        case_free(&c);
    }
}

/* --- A block mask --------------------------------------------------------- */

/* kind: causal 1, a softcap 2, a mask 4, a window 8. Blocks on the diagonal of
 * stripes, and a few more; of size 1 or 4 some query sees no key. */
static void check_blocks(const attention_subject *s, size_t size, int kind)
{
    attention_case c = case_of(20, 33, 4, 3);
    float of[20 * 33];

    case_random(&c, 28);
    c.h.blocks.of = matrix_of(of, tiles(20, size), tiles(33, size));
    c.h.blocks.size = size;
    for (size_t i = 0; i < tiles(20, size); i++)
        for (size_t j = 0; j < tiles(33, size); j++)
            row(c.h.blocks.of, i)[j] =
                i % 4 != 3 && ((i + j) % 3 == 0 || (i * j + size) % 7 == 3) ? 1
                                                                            : 0;
    c.h.offset = 13;
    c.h.causal = kind & 1;
    c.h.softcap = kind & 2 ? 5 : 0;
    if (kind & 4)
        some_mask(&c);
    c.h.window = kind & 8 ? 11 : 0;
    spoil_unseen(&c);
    check_tiled(s, &c);
    case_free(&c);
}

static void a_block_mask_leaves_blocks_out(void **subject)
{
    const size_t sizes[] = {1, 3, 4, 8, 16, 64};

    for (size_t k = 0; k < 6; k++)
        for (int kind = 0; kind < 16; kind++)
            check_blocks(*subject, sizes[k], kind);
}

/* Longer than the blocks of the fast steps, which then skip some. */
static void a_block_mask_may_leave_whole_stretches_out(void **subject)
{
    float of[3 * 4] = {0, 1, 0, 0, /**/ 1, 0, 0, 1, /**/ 0, 0, 0, 0};
    attention_case c = case_of(150, 256, 3, 2);

    case_exact(&c, 29);
    c.h.blocks.of = matrix_of(of, 3, 4);
    c.h.blocks.size = 64;
    spoil_unseen(&c);
    check_tiled(*subject, &c);
    case_causal(&c, 60);
    check_tiled(*subject, &c);
    case_free(&c);
}

const attention_claim variant_claims[] = {
    CLAIM(a_window_shows_the_keys_near_the_query, MASKS),
    CLAIM(a_window_slides_over_a_long_row, MASKS),
    CLAIM(a_window_goes_with_mask_and_softcap, MASKS | SOFTCAPS),
    CLAIM(alibi_favours_the_keys_near_the_query, MASKS),
    CLAIM(alibi_goes_with_all_other_rules, MASKS | SOFTCAPS),
    CLAIM(a_sink_takes_its_share, MASKS | SOFTCAPS),
    CLAIM(a_row_without_keys_has_its_sink, MASKS | FORWARD_ALONE),
    CLAIM(equal_keys_behind_a_sink_are_rounded_alike, MASKS | FORWARD_ALONE),
    CLAIM(a_block_mask_leaves_blocks_out, MASKS | SOFTCAPS),
    CLAIM(a_block_mask_may_leave_whole_stretches_out, MASKS),
    {0},
};
