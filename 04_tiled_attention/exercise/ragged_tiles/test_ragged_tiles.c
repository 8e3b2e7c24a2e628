/*
 * Tests ragged_attention. In most tests V is a multiple of the identity matrix,
 * so that o_j gives the weight of key j.
 *
 * For the grader:
 *   no points: full_tiles_are_attended
 *   no points: no_keys_give_zeros
 *   ragged_attention: KERNEL
 */
#include "ragged_tiles.h"

#include <math.h>

#include "common/testing/attention_check.h"
#include "common/scores.h"
#include "common/testing/run_tests.h"
#include "common/testing/variant.h"

#define BEYOND 64 /* rows of K and V after the last key */

/* Reduces the number of keys to Nk. Fills the rows of K after the last key with
 * NaN, so that O is NaN if one of them is attended. */
static void hide_rows(attention_case *c, size_t Nk)
{
    for (size_t j = Nk; j < c->h.Nk; j++)
        for (size_t k = 0; k < c->h.d; k++)
            k_of(c, j)[k] = NAN;
    c->h.Nk = Nk;
}

/* Returns a case of one query and Nk keys with equal scores, so that every
 * weight is 1 / Nk. V is the identity matrix, times variant_factor(). */
static attention_case equal_keys(size_t Nk, size_t Bc)
{
    attention_case c = case_of(1, Nk + BEYOND, 2, Nk);

    fill(c.h.Q.hbm, 1);
    fill(c.h.K.hbm, 1);
    fill(c.h.V.hbm, 0);
    for (size_t j = 0; j < Nk; j++)
        v_of(&c, j)[j] = variant_factor();
    hide_rows(&c, Nk);
    c.h.tile.Bc = Bc;
    return c;
}

static const attention_step subject = {.name = "ragged_attention",
                                       .run = ragged_attention};

/* Returns NULL if the n weights w are all 1 / n, otherwise a message. */
static const char *fault(const float *w, size_t n, const char *if_missing)
{
    float least = w[0], most = w[0], sum = 0;

    for (size_t j = 0; j < n; j++) {
        if (isnan(w[j]))
            return "a row beyond the last key is attended";
        least = fminf(least, w[j]);
        most = fmaxf(most, w[j]);
        sum += w[j];
    }
    if (least == 0)
        return if_missing;
    if (most > 1.5f * least)
        return "rows of an earlier tile are still in K and V, and are attended";
    if (!(fabsf(sum - 1) <= 1e-5f))
        return "a row after the last key has a weight: zeros give score 0, "
               "weight e^0";
    return NULL;
}

/* Fails unless each of Nk equal keys has weight 1 / Nk. Returns the number of
 * elements read. */
static size_t check_weights_of(size_t Nk, size_t Bc, const char *if_missing)
{
    auto_case c = equal_keys(Nk, Bc);
    float *w = c.h.O.hbm.data;
    const char *wrong;

    case_run(&c, &subject);
    for (size_t j = 0; j < Nk; j++)
        w[j] /= variant_factor();
    wrong = fault(w, Nk, if_missing);
    if (wrong) {
        print_error("%s\n  %s in tiles of %zu: each weight should be %g\n",
                    wrong, quantity(Nk, "key", "keys").text, Bc,
                    1 / (double)Nk);
        for (size_t j = 0; j < Nk; j++)
            print_error("  the weight of key %zu is %g\n", j, (double)w[j]);
        fail();
    }
    return c.counts.read[ALGORITHM];
}

TEST(full_tiles_are_attended)
{
    const char *why = "Bc divides Nk: the last tile is full, not empty";

    check_weights_of(8, 4, why);
    check_weights_of(4, 4, why);
    check_weights_of(3, 1, why);
}

TEST(a_ragged_tile_is_attended)
{
    const char *why = "the last tile is not full, and it is missing";

    check_weights_of(7, 4, why);
    check_weights_of(9, 4, why);
    check_weights_of(10, 4, why);
}

TEST(a_tile_may_be_larger_than_all_keys)
{
    check_weights_of(1, 4, "the only tile is not full, and it is missing");
    check_weights_of(5, 60, "the only tile is not full, and it is missing");
}

TEST(no_keys_give_zeros)
{
    auto_case c = case_of(1, 0, 2, 3);

    fill(c.h.Q.hbm, 1);
    c.h.tile.Bc = 4;
    case_run(&c, &subject);
    for (size_t k = 0; k < 3; k++)
        if (c.h.O.hbm.data[k] != 0)
            fail_msg("without keys o[%zu] should be 0, but it is %g", k,
                     (double)c.h.O.hbm.data[k]);
}

TEST(only_the_keys_are_loaded)
{
    for (size_t Nk = 1; Nk <= 12; Nk++) {
        size_t want = 2 + Nk * (2 + Nk);
        size_t loaded = check_weights_of(Nk, 5, "a key is missing");

        if (loaded > want)
            fail_msg("more rows are loaded than there are keys: %zu elements "
                     "for %s in tiles of 5, want %zu",
                     loaded, quantity(Nk, "key", "keys").text, want);
    }
}

TEST(any_number_of_keys_is_right)
{
    for (size_t Nk = 1; Nk <= 40; Nk += 3)
        for (size_t Bc = 1; Bc <= 20; Bc += 4) {
            auto_case c = case_of(3, Nk + BEYOND, 4, 3);

            case_exact(&c, Nk);
            hide_rows(&c, Nk);
            c.h.tile.Bc = Bc;
            case_expect(&c, &subject);
            case_run(&c, &subject);
            for (size_t i = 0; i < 3; i++) /* L is not part of the task */
                *row(c.h.L.hbm, i) = (float)c.L[i];
            case_check(&c, &subject);
        }
}
