/*
 * What write_tiled has to give, from one tile to any shape, against float64;
 * and what it may move.
 */
#include "write_tiled.h"

#include <math.h>

#include "common/testing/assert_close.h"
#include "common/testing/attention_check.h"
#include "common/testing/run_tests.h"

static const attention_step step = {.name = "write_tiled", .run = write_tiled};
static const attention_subject subject = {.step = &step};

/* O and L of the case in tiles of Bc keys; why: what to think about. */
static void check(attention_case *c, size_t Bc, const char *why)
{
    const head *h = &c->h;

    c->h.Bc = Bc;
    case_expect(c, &subject);
    case_run(c, &subject);
    for (size_t i = 0; i < h->Nq; i++) {
        for (size_t k = 0; k < h->dv; k++) {
            float got = row(h->O.hbm, i)[k];
            double want = c->O[i * h->dv + k];

            if (!is_close_or_nan((double)got, want, c->O_tolerance))
                fail_msg("%s\n  query %zu of %zu, %zu keys in tiles of %zu: "
                         "want O[%zu][%zu] = %.6g, got %.6g",
                         why, i, h->Nq, h->Nk, Bc, i, k, want, (double)got);
        }
        if (!is_close_or_nan((double)*row(h->L.hbm, i), c->L[i],
                             c->L_tolerance + 1e-6 * fabs(c->L[i])))
            fail_msg("L is m + ln l of all keys: want L[%zu] = %.7g, got %.7g",
                     i, c->L[i], (double)*row(h->L.hbm, i));
    }
}

/* The same for a new case of exact scores. */
static void check_sizes(size_t Nq, size_t Nk, size_t Bc, const char *why)
{
    attention_case c = case_of(Nq, Nk, 4, 3);

    case_exact(&c, Nq + 3 * Nk);
    check(&c, Bc, why);
    case_free(&c);
}

/* --- What comes out ------------------------------------------------------- */

static void one_tile_is_attention(void **state)
{
    (void)state;
    check_sizes(1, 1, 1, "one key has all the weight: O is its value");
    check_sizes(2, 4, 4,
                "all fits into one tile: is O divided by l at the end?");
}

/* Scores that fall from tile to tile: the maximum stays the first. */
static void a_second_tile_of_keys_is_added(void **state)
{
    attention_case c = case_of_scores(1, 4, 2);

    (void)state;
    for (size_t j = 0; j < 4; j++)
        case_score(&c, j, 3 - (float)j);
    check(&c, 2, "the maximum stays, and a tile of keys is lost or wrong");
    case_free(&c);
}

static void a_larger_maximum_rescales_what_there_is(void **state)
{
    attention_case c = case_of_scores(1, 6, 2);

    (void)state;
    for (size_t j = 0; j < 6; j++)
        case_score(&c, j, (float)j);
    check(&c, 2,
          "the maximum grows in every tile: l and O shrink by e^{m - m_new}");
    case_free(&c);
}

static void every_query_begins_anew(void **state)
{
    (void)state;
    check_sizes(4, 4, 4,
                "a query knows nothing of the one before: o, m and l begin "
                "at 0, -inf and 0");
}

static void tiles_need_not_divide_the_sizes(void **state)
{
    (void)state;
    for (size_t Nq = 1; Nq <= 7; Nq++)
        for (size_t Nk = 1; Nk <= 9; Nk += 2)
            check_sizes(Nq, Nk, 4, "the last tile has fewer rows");
    check_sizes(5, 6, 64, "a tile may be larger than the head");
}

static void each_query_sees_its_own_keys(void **state)
{
    (void)state;
    for (long offset = -3; offset <= 5; offset++) {
        attention_case c = case_of(6, 7, 4, 3);

        case_exact(&c, 11);
        case_causal(&c, offset);
        check(&c, 3,
              "causal: query i sees keys up to i + offset, maybe none at all");
        case_free(&c);
    }
}

static void a_masked_first_tile_leaves_no_trace(void **state)
{
    attention_case c = case_of(2, 6, 4, 3);

    (void)state;
    case_exact(&c, 12);
    case_mask(&c);
    for (size_t j = 0; j < 4; j++)
        mask_of(&c, 0)[j] = -INFINITY;
    for (size_t j = 0; j < 6; j++)
        mask_of(&c, 1)[j] = -INFINITY;
    check(&c, 2,
          "a first tile that is masked whole: -inf - -inf is NaN, and a row "
          "with nothing to attend to is 0");
    case_free(&c);
}

static void any_head_is_right(void **state)
{
    const size_t sizes[] = {1, 2, 5, 16, 40};

    (void)state;
    for (size_t a = 0; a < 5; a++)
        for (size_t b = 0; b < 5; b++) {
            attention_case c = case_of(33, 37, 8, 5);

            case_random(&c, 13 + a);
            c.h.softcap = b % 2 == 0 ? 0 : 20;
            check(&c, sizes[b], "random scores, peaked rows");
            case_free(&c);
        }
}

/* --- What it costs -------------------------------------------------------- */

static void traffic_is_that_of_the_formula(void **state)
{
    const size_t N = 24, d = 4, Bc = 4;
    attention_case c = case_of(N, N, d, d);
    size_t moved, want = 2 * N * d + N + 2 * N * N * d;

    (void)state;
    case_exact(&c, 14);
    c.h.Bc = Bc;
    case_run(&c, &subject);
    moved = counts_moved(c.counts);
    case_free(&c);
    if (moved > want)
        fail_msg("too much crosses HBM: %zu elements, want 2Nd + N + 2NNd = "
                 "%zu: Q, O and L once, K and V once for each query",
                 moved, want);
    if (moved < want)
        fail_msg("too little crosses HBM: %zu elements, want %zu: arrays are "
                 "reached through load and store",
                 moved, want);
}

static void no_key_comes_that_its_query_does_not_see(void **state)
{
    attention_case c = case_of(12, 12, 4, 4);
    size_t read, want = 12 * 4 + 12 * 13 / 2 * 8;

    (void)state;
    case_exact(&c, 15);
    case_causal(&c, 0);
    c.h.Bc = 3;
    case_run(&c, &subject);
    read = c.counts.read[ALGORITHM];
    case_free(&c);
    if (read != want)
        fail_msg("causal: query i sees i + 1 keys here, and no more are "
                 "loaded: want %zu elements, got %zu",
                 want, read);
}

static void a_query_and_a_tile_are_on_chip_and_no_more(void **state)
{
    attention_case c = case_of(30, 30, 4, 3);
    size_t want = (1 + 6) * (4 + 3), got;

    (void)state;
    case_exact(&c, 16);
    c.h.Bc = 6;
    case_run(&c, &subject);
    got = c.tiles;
    case_free(&c);
    if (got != want)
        fail_msg(
            "on chip lie q, o and a tile of K and V: %zu elements, and you "
            "asked for %zu",
            want, got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_tile_is_attention),
        cmocka_unit_test(a_second_tile_of_keys_is_added),
        cmocka_unit_test(a_larger_maximum_rescales_what_there_is),
        cmocka_unit_test(every_query_begins_anew),
        cmocka_unit_test(tiles_need_not_divide_the_sizes),
        cmocka_unit_test(each_query_sees_its_own_keys),
        cmocka_unit_test(a_masked_first_tile_leaves_no_trace),
        cmocka_unit_test(any_head_is_right),
        cmocka_unit_test(traffic_is_that_of_the_formula),
        cmocka_unit_test(no_key_comes_that_its_query_does_not_see),
        cmocka_unit_test(a_query_and_a_tile_are_on_chip_and_no_more),
    };

    return run_tests("write_tiled", tests);
}
