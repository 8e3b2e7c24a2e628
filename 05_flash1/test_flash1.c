/*
 * flash1 keeps the contract, moves what Theorem 2 says, constants included,
 * and saves what the page says: nothing at d = 128 with M = 49,152.
 */
#include "05_flash1/steps.h"

#include <math.h>
#include <string.h>

#include "04_tiled_attention/steps.h"
#include "common/testing/assert_close.h"
#include "common/testing/contract/attention_contract.h"

static const attention_subject flash1_step = {.step = &chapter_05_steps[0]};

/* --- HBM ------------------------------------------------------------------ */

static const tile_sizes tile_pairs[] = {{1, 1},   {4, 8},   {8, 4},  {3, 7},
                                        {16, 16}, {64, 64}, {5, 100}};
#define PAIRS (sizeof tile_pairs / sizeof tile_pairs[0])

static void it_moves_2Nd_and_Tc_times_3Nd_and_4N(void **state)
{
    const size_t N[] = {1, 16, 33, 64, 100}, d = 6;

    for (size_t n = 0; n < 5; n++)
        for (size_t k = 0; k < PAIRS; k++) {
            tile_sizes t = tile_pairs[k];
            counts c = counts_of(flash1, N[n], d, t);
            size_t Nd = N[n] * d, Tc = tiles(N[n], t.Bc);

            assert_int_equal(counts_moved(c),
                             2 * Nd + Tc * (3 * Nd + 4 * N[n]));
            assert_int_equal(c.written[INIT], Nd + 2 * N[n]);
            assert_int_equal(c.read[INIT], 0);
            assert_int_equal(c.read[LSE] + c.written[LSE], 3 * N[n]);
        }
}

/* Which (i, j) are visited, asked of every tile: does its last query see the
 * first key? Each visit reads Q, O, m, l and writes O, m, l. */
static void with_a_causal_limit_only_visits_count(void **state)
{
    const size_t Nq = 30, Nk = 47, d = 5, dv = 3;
    head h = {.Nq = Nq, .Nk = Nk, .d = d, .dv = dv, .causal = true};

    for (h.offset = -40; h.offset <= 60; h.offset += 3)
        for (size_t k = 0; k < PAIRS; k++) {
            size_t Br = tile_pairs[k].Br, Bc = tile_pairs[k].Bc, rows = 0;
            long seen = (long)Nq - 1 + h.offset + 1;
            size_t keys = seen < 0 ? 0 : min_size((size_t)seen, Nk);

            for (size_t i = 0; i < Nq; i++) /* the visits of each row */
                for (size_t j0 = 0; j0 < Nk; j0 += Bc) {
                    size_t last = min_size(i / Br * Br + Br, Nq) - 1;

                    rows += (long)j0 <= (long)last + h.offset;
                }
            assert_int_equal(counts_moved(flash1_traffic(&h, tile_pairs[k])),
                             keys * (d + dv) + rows * (d + 2 * dv + 4));
        }
}

static void its_extra_memory_is_2N(void **state)
{
    attention_case c = case_after(flash1, 50, 4, (tile_sizes){7, 5});

    assert_int_equal(c.extra, 2 * 50);
    case_free(&c);
}

/* --- The rule, and what it saves ------------------------------------------ */

static double ratio(size_t a, size_t b)
{
    return (double)a / (double)b;
}

/* FlashAttention's traffic over standard's, both by formula, N = 4096: at d = 128
 * a small M saves nothing, unless Br is small and Bc large, for the traffic
 * depends on Tc alone. */
static void it_saves_what_the_page_says(void **state)
{
    static const struct {
        size_t d, M, Br, Bc; /* 0 0: by the rule */
        double moved, with_init;
    } savings[] = {
        {64, 49152, 0, 0, 0.267, 0.271},
        {64, 98304, 0, 0, 0.137, 0.141},
        {128, 98304, 0, 0, 0.520, 0.528},
        {128, 49152, 0, 0, 1.003, 1.010},
        {128, 49152, 16, 49152 / (2 * 128) - 16, 0.566, 0.574},
    };

    for (size_t k = 0; k < sizeof savings / sizeof savings[0]; k++) {
        size_t d = savings[k].d;
        head h = {.Nq = 4096, .Nk = 4096, .d = d, .dv = d};
        counts flash, standard;
        tile_sizes t;

        h.Br = savings[k].Br;
        h.Bc = savings[k].Bc;
        t = flash1_tiles(&h, savings[k].M);
        flash = flash1_traffic(&h, t);
        standard = standard_traffic(&h, t);
        assert_true((t.Br + t.Bc) * 2 * d <= savings[k].M);
        assert_close(ratio(counts_moved(flash), counts_moved(standard)),
                     savings[k].moved, 0.0005);
        assert_close(ratio(counts_moved(flash) + flash.written[INIT],
                           counts_moved(standard)),
                     savings[k].with_init, 0.0005);
    }
}

/* For N >> d it goes to 3 d^2 / M. */
static void the_saving_goes_to_3d2_over_M(void **state)
{
    head h = {.Nq = 1 << 20, .Nk = 1 << 20, .d = 64, .dv = 64};
    const size_t M = 1 << 17;
    tile_sizes t = flash1_tiles(&h, M);

    needs_64_bits();
    assert_close(ratio(counts_moved(flash1_traffic(&h, t)),
                       counts_moved(standard_traffic(&h, t))),
                 3.0 * 64 * 64 / (1 << 17), 0.003);
}

static void the_rule_is_the_papers_rounded_down(void **state)
{
    head h = {.Nq = 1, .Nk = 1, .d = 64, .dv = 32};

    for (size_t M = 2 * (64 + 32); M < 200000; M = M * 2 + 7) {
        tile_sizes t = flash1_tiles(&h, M);

        assert_int_equal(t.Bc, M / (2 * (64 + 32))); /* M / 4d where dv = d */
        assert_int_equal(t.Br, min_size(t.Bc, 64));
    }
    h.Br = 3;
    h.Bc = 5;
    assert_int_equal(flash1_tiles(&h, 0).Br, 3);
    assert_int_equal(flash1_tiles(&h, 0).Bc, 5);
}

/* ceil(M / 4d) = 3 and min(3, d): 6 rows of 2d do not fit in M = 50. */
static void the_papers_rounding_up_can_exceed_M(void **state)
{
    attention_case c = case_of(20, 20, 5, 5);
    memory mem;

    case_exact(&c, 1);
    c.h.Br = c.h.Bc = tiles(50, 4 * 5);
    memory_init(&mem, 50);
    assert_int_equal(flash1(&c.h, &mem), MEMORY_TOO_SMALL);
    assert_non_null(strstr(mem.message, "memory of 50 elements is too small"));
    memory_reset(&mem);
    c.h.Br = c.h.Bc = 0; /* rounded down they do */
    assert_int_equal(flash1(&c.h, &mem), MEMORY_OK);
    memory_reset(&mem);
    case_free(&c);
}

/* --- Line 12 -------------------------------------------------------------- */

static void every_visit_rescales_and_divides_the_output(void **state)
{
    const size_t N = 40, d = 4, Tc = 3;
    counts c = counts_of(flash1, N, d, (tile_sizes){8, 16});

    assert_int_equal(c.exps, N * N + 2 * N * Tc);
    assert_int_equal(c.rescales, N * Tc * (2 + d));
    assert_int_equal(c.divisions, N * Tc * d);
}

/* A visit by masked keys multiplies O by l / l, which is 1 exactly. */
static void a_tile_of_masked_keys_leaves_O_bit_for_bit(void **state)
{
    attention_case c = case_of(7, 40, 4, 5), first = case_of(7, 16, 4, 5);

    case_random(&c, 5);
    case_mask(&c);
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 16; j < 40; j++)
            mask_of(&c, i)[j] = -INFINITY;
    memcpy(q_of(&first, 0), q_of(&c, 0), 7 * 4 * sizeof(float));
    memcpy(k_of(&first, 0), k_of(&c, 0), 16 * 4 * sizeof(float));
    memcpy(v_of(&first, 0), v_of(&c, 0), 16 * 5 * sizeof(float));
    c.h.Br = first.h.Br = 3;
    c.h.Bc = first.h.Bc = 4;
    case_run(&c, &flash1_step);
    case_run(&first, &flash1_step);
    assert_memory_equal(c.h.O.hbm.data, first.h.O.hbm.data,
                        7 * 5 * sizeof(float));
    case_free(&c);
    case_free(&first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_moves_2Nd_and_Tc_times_3Nd_and_4N),
        cmocka_unit_test(with_a_causal_limit_only_visits_count),
        cmocka_unit_test(its_extra_memory_is_2N),
        cmocka_unit_test(it_saves_what_the_page_says),
        cmocka_unit_test(the_saving_goes_to_3d2_over_M),
        cmocka_unit_test(the_rule_is_the_papers_rounded_down),
        cmocka_unit_test(the_papers_rounding_up_can_exceed_M),
        cmocka_unit_test(every_visit_rescales_and_divides_the_output),
        cmocka_unit_test(a_tile_of_masked_keys_leaves_O_bit_for_bit),
    };

    return run_attention_tests("flash1", chapter_05_steps, NULL, tests,
                               sizeof tests / sizeof tests[0]);
}
