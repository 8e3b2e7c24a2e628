/*
 * What chapter 06's steps move is what the page says: equal to the closed forms
 * when counted, and less than FlashAttention where its rule for tiles is kept.
 */
#include "06_flash2/steps.h"

#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "common/testing/assert_close.h"
#include "common/testing/attention_check.h"
#include "common/testing/run_tests.h"

/* --- Counted -------------------------------------------------------------- */

static const tile_sizes tile_pairs[] = {{1, 1},   {4, 8},   {8, 4},  {3, 7},
                                        {16, 16}, {64, 64}, {5, 100}};
#define PAIRS (sizeof tile_pairs / sizeof tile_pairs[0])
static const size_t lengths[] = {1, 16, 33, 64, 100};
#define LENGTHS (sizeof lengths / sizeof lengths[0])
#define D       6

static void deferred_moves_what_flash1_does_and_2Nd(void **state)
{
    (void)state;
    for (size_t n = 0; n < LENGTHS; n++)
        for (size_t k = 0; k < PAIRS; k++) {
            size_t N = lengths[n], Tc = tiles(N, tile_pairs[k].Bc);
            counts c = counts_of(flash2_deferred, N, D, tile_pairs[k]);

            assert_int_equal(counts_moved(c),
                             2 * N * D + Tc * (3 * N * D + 4 * N) + 2 * N * D);
            assert_int_equal(c.written[INIT], N * D + 2 * N);
            assert_int_equal(c.read[LSE] + c.written[LSE], 3 * N);
        }
}

static void flash2_moves_2Nd_and_N_and_2TrNd(void **state)
{
    (void)state;
    for (size_t n = 0; n < LENGTHS; n++)
        for (size_t k = 0; k < PAIRS; k++) {
            size_t N = lengths[n], Tr = tiles(N, tile_pairs[k].Br);
            size_t want = 2 * N * D + N + 2 * Tr * N * D;

            assert_int_equal(
                counts_moved(counts_of(flash2, N, D, tile_pairs[k])), want);
            assert_int_equal(
                counts_moved(counts_of(flash2_parallel, N, D, tile_pairs[k])),
                want);
        }
}

static void flash2_writes_O_once_and_reads_nothing_back(void **state)
{
    const size_t N = 33;
    counts c = counts_of(flash2, N, D, (tile_sizes){5, 3});

    (void)state;
    assert_int_equal(c.written[ALGORITHM], N * D + N);
    assert_int_equal(c.read[ALGORITHM], N * D + tiles(N, 5) * 2 * N * D);
    assert_int_equal(c.written[INIT] + c.written[LSE] + c.read[LSE], 0);
}

static void split_kv_pays_for_its_parts(void **state)
{
    (void)state;
    for (size_t n = 0; n < LENGTHS; n++)
        for (size_t k = 0; k < PAIRS; k++) {
            size_t N = lengths[n], Tr = tiles(N, tile_pairs[k].Br);
            size_t Tc = tiles(N, tile_pairs[k].Bc);
            size_t parts = tiles(Tc, tiles(Tc, 8)), Nd = N * D;

            assert_int_equal(
                counts_moved(counts_of(split_kv, N, D, tile_pairs[k])),
                parts * (3 * Nd + 4 * N) + Nd + N + 2 * Tr * Nd);
        }
}

/* K and V up to what the tile's last query sees, asked of every key. */
static void with_a_causal_limit_tiles_beyond_are_skipped(void **state)
{
    const size_t Nq = 30, Nk = 47, d = 5, dv = 3;
    head h = {.Nq = Nq, .Nk = Nk, .d = d, .dv = dv, .causal = true};

    (void)state;
    for (h.offset = -40; h.offset <= 60; h.offset += 3)
        for (size_t k = 0; k < PAIRS; k++) {
            size_t keys = 0;

            for (size_t i0 = 0; i0 < Nq; i0 += tile_pairs[k].Br)
                for (long j = 0; j < (long)Nk; j++)
                    keys += j <= (long)min_size(i0 + tile_pairs[k].Br, Nq) - 1 +
                                     h.offset;
            assert_int_equal(counts_moved(flash2_traffic(&h, tile_pairs[k])),
                             Nq * (d + dv + 1) + keys * (d + dv));
        }
}

/* Causal, N a multiple of B, tiles of B x B: the window of W keys reaches back
 * ceil((W - 1) / B) tiles from the query's own. */
static void a_window_leaves_a_band_of_tiles(void **state)
{
    const size_t N = 96, d = 5, B[] = {1, 4, 8, 32};

    (void)state;
    for (size_t W = 1; W <= 120; W += 7)
        for (size_t b = 0; b < 4; b++) {
            attention_case c = case_of(N, N, d, d);
            size_t keys = 0;

            case_exact(&c, W);
            case_causal(&c, 0);
            c.h.window = W;
            c.h.Br = c.h.Bc = B[b];
            for (size_t t = 0; t < N / B[b]; t++)
                keys += B[b] * (1 + min_size(t, tiles(W - 1, B[b])));
            run_kernel(&c, flash2);
            assert_int_equal(counts_moved(c.counts),
                             2 * N * d + N + 2 * d * keys);
            case_free(&c);
        }
}

/* Tiles that are the blocks: flash2 fetches the keys of each 1, flash1 visits
 * the queries. */
static void a_block_mask_costs_its_ones(void **state)
{
    const size_t N = 60, d = 5, b = 10, Nd = N * d;
    float of[36];
    size_t ones = 0;

    (void)state;
    for (size_t k = 0; k < 36; k++)
        if (k % 3 == 0 || k % 7 == 2)
            of[k] = 1, ones++;
        else
            of[k] = 0;
    for (size_t part = 1; part <= 2; part++) { /* tiles of b, and of b / 2 */
        attention_case c = case_of(N, N, d, d);

        case_exact(&c, 3);
        c.h.blocks.of = matrix_of(of, 6, 6);
        c.h.blocks.size = b;
        c.h.Br = c.h.Bc = b / part;
        run_kernel(&c, flash2);
        assert_int_equal(counts_moved(c.counts),
                         2 * Nd + N + 2 * d * part * ones * b);
        run_kernel(&c, flash1);
        assert_int_equal(counts_moved(c.counts),
                         2 * Nd + (3 * d + 4) * part * ones * b);
        case_free(&c);
    }
}

/* --- What it saves, N = 4096 ---------------------------------------------- */

static head long_head(size_t d)
{
    return (head){.Nq = 4096, .Nk = 4096, .d = d, .dv = d};
}

static double saving(size_t d, size_t M)
{
    head h = long_head(d);
    tile_sizes t = flash2_tiles(&h, M);

    assert_true((t.Br + t.Bc) * 2 * d <= M);
    return (double)counts_moved(flash2_traffic(&h, t)) /
           (double)counts_moved(standard_traffic(&h, t));
}

static void it_saves_what_the_page_says(void **state)
{
    (void)state;
    assert_close(saving(64, 49152), 0.177, 0.0005);
    assert_close(saving(64, 98304), 0.092, 0.0005);
    assert_close(saving(128, 49152), 0.667, 0.0005);
    assert_close(saving(128, 98304), 0.349, 0.0005);
}

/* flash1 takes Bc large and Br small; turned over, that is flash2's rule. */
static void with_flash1s_tiles_it_would_move_more(void **state)
{
    head h = long_head(64);
    tile_sizes t = flash1_tiles(&h, 49152);

    (void)state;
    assert_true(counts_moved(flash2_traffic(&h, t)) >
                counts_moved(flash1_traffic(&h, t)));
    assert_true(counts_moved(flash2_traffic(&h, (tile_sizes){t.Bc, t.Br})) <
                counts_moved(flash1_traffic(&h, t)));
}

/* M / 4d rows of queries, and of keys as many but no more than d. */
static void its_rule_is_flash1s_turned_over(void **state)
{
    (void)state;
    for (size_t M = 4 * 64; M < 200000; M = M * 2 + 7) {
        head h = long_head(64);
        tile_sizes two = flash2_tiles(&h, M), one = flash1_tiles(&h, M);
        tile_sizes deferred = flash2_deferred_tiles(&h, M); /* as flash1's */

        assert_int_equal(two.Br, M / (4 * 64));
        assert_int_equal(two.Bc, min_size(two.Br, 64));
        assert_int_equal(two.Br, one.Bc);
        assert_int_equal(two.Bc, one.Br);
        assert_int_equal(deferred.Br, one.Br);
        assert_int_equal(deferred.Bc, one.Bc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deferred_moves_what_flash1_does_and_2Nd),
        cmocka_unit_test(flash2_moves_2Nd_and_N_and_2TrNd),
        cmocka_unit_test(flash2_writes_O_once_and_reads_nothing_back),
        cmocka_unit_test(split_kv_pays_for_its_parts),
        cmocka_unit_test(with_a_causal_limit_tiles_beyond_are_skipped),
        cmocka_unit_test(a_window_leaves_a_band_of_tiles),
        cmocka_unit_test(a_block_mask_costs_its_ones),
        cmocka_unit_test(it_saves_what_the_page_says),
        cmocka_unit_test(with_flash1s_tiles_it_would_move_more),
        cmocka_unit_test(its_rule_is_flash1s_turned_over),
    };

    return run_tests("flash2, traffic", tests);
}
