/*
 * What a lazy rescale saves and costs, and what pages do.
 */
#include "06_flash2/steps.h"

#include <math.h>

#include "common/testing/assert_close.h"
#include "common/testing/attention_check.h"
#include "common/testing/run_tests.h"

/* --- lazy_rescale --------------------------------------------------------- */

/* One query, N keys in tiles of one; each score exceeds the last by `by`. */
static counts rising(attention_fn *run, size_t N, float by)
{
    attention_case c = case_of_scores(1, N, 2);
    counts counted;

    c.h.scale = 1;
    for (size_t j = 0; j < N; j++)
        case_score(&c, j, by * (float)j);
    c.h.Br = c.h.Bc = 1;
    run_kernel(&c, run);
    counted = c.counts;
    case_free(&c);
    return counted;
}

/* m moves at the first key, then at each key that is the first to exceed it by
 * more than ln 256 = 5.545: floor(5.545 / by) keys go by before it. */
static void rising_scores_rescale_once_in_ln_256(void **state)
{
    (void)state;
    for (size_t N = 1; N < 60; N += 7)
        for (float by = 0.25f; by < 8; by += 0.25f) {
            size_t stays = (size_t)(logf(256) / by);
            size_t moves = 1 + (N - 1) / (stays + 1);
            counts lazy = rising(lazy_rescale, N, by);
            counts eager = rising(flash2, N, by);

            assert_int_equal(lazy.rescales, moves * (1 + 2));
            assert_int_equal(lazy.exps, N + moves);
            assert_int_equal(eager.rescales, N * (1 + 2));
            assert_int_equal(eager.exps, 2 * N);
            assert_int_equal(counts_moved(lazy), counts_moved(eager));
        }
    /* A rise of tau itself moves nothing, of the next number it does. */
    assert_int_equal(rising(lazy_rescale, 2, 5.545177f).rescales, 3);
    assert_int_equal(rising(lazy_rescale, 2, nextafterf(5.545177f, 6)).rescales,
                     6);
}

/* V = 2^120: fp32 ends at 2^128. Of weights that are at most 256 a single one
 * is too much, where m comes to lag behind by 5.54. */
static float sum_of_a_huge_value(attention_fn *run)
{
    attention_case c = case_of_scores(1, 2, 1);
    float o;

    c.h.scale = 1;
    case_score(&c, 0, 0);
    case_score(&c, 1, 5.54f);
    case_same_values(&c, 1.5f * 0x1p120f);
    c.h.Br = c.h.Bc = 1;
    run_kernel(&c, run);
    o = *c.h.O.hbm.data;
    case_free(&c);
    return o;
}

static void the_price_is_a_weight_of_256(void **state)
{
    (void)state;
    assert_close(sum_of_a_huge_value(flash2) * 0x1p-120f, 1.5, 1e-6);
    assert_close(sum_of_a_huge_value(lazy_rescale), HUGE_VAL, 0);
}

/* bf16 has 8 bits: what is rounded to it is off by 2^-8 of itself at most, and
 * so is O. (flash2 gets by with half of that: its largest weight is 1.) */
static void rounded_weights_cost_twice_as_much(void **state)
{
    const attention_subject s = {.step = &chapter_06_variants[0]};
    attention_case c = case_of(9, 100, 8, 3);

    (void)state;
    case_exact(&c, 65);
    case_same_values(&c, 1);
    case_expect(&c, &s);
    c.h.P = BF16;
    c.O_tolerance += 0x1p-8;
    check_as_expected(&s, &c);
    case_free(&c);
}

/* --- paged_kv ------------------------------------------------------------- */

/* Tiles of whole pages, and N keys of whole tiles: a lookup for K and one for V
 * for each page, in each tile of queries. */
static void pages_cost_a_lookup_each(void **state)
{
    const size_t N = 6 * PAGED_KV_PAGE, d = 5;

    (void)state;
    for (size_t Br = 1; Br <= N; Br += 9)
        for (size_t Bc = PAGED_KV_PAGE; Bc <= N; Bc *= 2) {
            tile_sizes t = {Br, Bc};
            counts paged = counts_of(paged_kv, N, d, t);
            counts plain = counts_of(flash2, N, d, t);

            assert_int_equal(counts_moved(paged),
                             counts_moved(plain) + tiles(N, Br) * 2 * 6);
            assert_int_equal(paged.written[INIT], 2 * N * d + 6);
            assert_int_equal(paged.exps, plain.exps);
            assert_int_equal(paged.rescales, plain.rescales);
        }
}

/* Bit for bit, whatever the page that a tile begins or ends in. In HBM there is
 * room for K and V, by whole pages, and a table of the pages. */
static void pages_change_no_bit(void **state)
{
    (void)state;
    for (size_t N = 1; N < 70; N += 4)
        for (size_t Bc = 1; Bc < 40; Bc += 3) {
            const tile_sizes t = {7, Bc};
            attention_case a = case_after(flash2, N, 6, t);
            attention_case b = case_after(paged_kv, N, 6, t);

            assert_memory_equal(a.h.O.hbm.data, b.h.O.hbm.data,
                                N * 6 * sizeof(float));
            assert_memory_equal(a.h.L.hbm.data, b.h.L.hbm.data,
                                N * sizeof(float));
            assert_int_equal(b.extra, tiles(N, PAGED_KV_PAGE) *
                                          (PAGED_KV_PAGE * (6 + 6) + 1));
            case_free(&a);
            case_free(&b);
        }
}

/* One of Q, K and V is narrow, and all 1, which any type holds. */
static void pages_are_of_the_type_of_what_they_hold(void **state)
{
    const attention_subject s = {.step = &chapter_06_variants[1]};

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        attention_case c = case_of(5, 40, 8, 3);
        array *narrow = k == 0 ? &c.h.Q : k == 1 ? &c.h.K : &c.h.V;

        case_random(&c, 66);
        fill(narrow->hbm, 1);
        narrow->type = BF16;
        case_expect(&c, &s);
        check_as_expected(&s, &c);
        case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rising_scores_rescale_once_in_ln_256),
        cmocka_unit_test(the_price_is_a_weight_of_256),
        cmocka_unit_test(rounded_weights_cost_twice_as_much),
        cmocka_unit_test(pages_cost_a_lookup_each),
        cmocka_unit_test(pages_change_no_bit),
        cmocka_unit_test(pages_are_of_the_type_of_what_they_hold),
    };

    return run_tests("lazy rescale, pages", tests);
}
