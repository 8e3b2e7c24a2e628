/*
 * Tests that the traffic formulas and tile rules of chapters 05 and 06 equal
 * those of the pages. (attention_contract.h compares the formulas with counts.)
 */
#include "05_flash1/backward/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/testing/attention_check.h"
#include "common/testing/run_tests.h"

/* --- Closed forms --------------------------------------------------------- */

#define FLASH1        &chapter_05_steps[0]
#define DEFERRED      &chapter_06_steps[0]
#define FLASH2        &chapter_06_steps[1]
#define SPLIT         &chapter_06_steps[5]
#define STANDARD_BACK &chapter_05_backward[0]
#define FLASH1_BACK   &chapter_05_backward[1]
#define ONE_KERNEL    &chapter_06_backward[0]
#define TWO_KERNELS   &chapter_06_backward[1]

/*
 * The coefficients of the traffic for Nq = Nk = N and dv = d: of Nd, N and N^2,
 * then of Nd and N for each tile of keys (Tc), then of Nd for each tile of
 * queries (Tr). The last two are those of the initialisation. In split_kv, Tc
 * is the number of parts.
 *
 * Algorithm 2 of FlashAttention-2 moves 6Nd per tile of keys: line 9 loads O_i,
 * which is not used, and line 15 loads dQ_i a second time. flash2_backward
 * omits these two loads.
 */
static const struct {
    const attention_step *s;
    const backward_step *back;
    size_t Nd, N, N2, Tc_Nd, Tc_N, Tr_Nd, init_Nd, init_N;
} pages[] = {
    {FLASH1, NULL, 2, 0, 0, 3, 4, 0, 1, 2},
    {DEFERRED, NULL, 4, 0, 0, 3, 4, 0, 1, 2},
    {FLASH2, NULL, 2, 1, 0, 0, 0, 2, 0, 0},
    {SPLIT, NULL, 1, 1, 0, 3, 4, 2, 0, 0},
    {NULL, STANDARD_BACK, 8, 0, 7, 0, 0, 0, 0, 0},
    {NULL, FLASH1_BACK, 4, 0, 0, 5, 2, 0, 1, 0},
    {NULL, ONE_KERNEL, 6, 1, 0, 4, 2, 0, 1, 0},
    {NULL, TWO_KERNELS, 8, 2, 0, 2, 2, 2, 0, 0},
};

static const tile_sizes tile_pairs[] = {{1, 1},   {4, 8},   {8, 4},  {3, 7},
                                        {16, 16}, {64, 64}, {5, 100}};
enum { PAIRS = sizeof tile_pairs / sizeof tile_pairs[0] };
static const size_t lengths[] = {1, 16, 33, 64, 100};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

TEST(the_formulas_equal_those_of_the_pages)
{
    const size_t d = 6;

    for (size_t p = 0; p < sizeof pages / sizeof pages[0]; p++)
        for (size_t n = 0; n < LENGTHS * PAIRS; n++) {
            const attention_step *s = pages[p].s;
            const backward_step *back = pages[p].back;
            tile_sizes t = tile_pairs[n % PAIRS];
            size_t N = lengths[n / PAIRS], Nd = N * d, Tc = tiles(N, t.Bc);
            /* backward_dq swaps Br and Bc */
            size_t Tr = back ? Tc : tiles(N, t.Br), moved, init;
            gradients g = {.h = {.Nq = N, .Nk = N, .d = d, .dv = d}};
            counts c = back ? back->formula(&g, t) : s->formula(&g.h, t);

            if (s == SPLIT)
                Tc = tiles(Tc, tiles(Tc, 8)); /* number of parts */
            moved = pages[p].Nd * Nd + pages[p].N * N + pages[p].N2 * N * N +
                    Tc * (pages[p].Tc_Nd * Nd + pages[p].Tc_N * N) +
                    Tr * pages[p].Tr_Nd * Nd;
            init = pages[p].init_Nd * Nd + pages[p].init_N * N;
            if (counts_moved(c) != moved || c.written[INIT] != init)
                fail_msg("%s, N %zu, Br %zu, Bc %zu: %zu elements moved and "
                         "%zu initialised, want %zu and %zu",
                         back ? back->name : s->name, N, t.Br, t.Bc,
                         counts_moved(c), c.written[INIT], moved, init);
        }
}

/* The limit is causal, the tiles are B x B, and B divides N. The window has W
 * keys, so it covers parts of ceil((W - 1) / B) tiles before the diagonal. */
TEST(a_window_leaves_a_band_of_tiles)
{
    const size_t N = 96, d = 5, B[] = {1, 4, 8, 32};

    for (size_t W = 1; W <= 120; W += 7)
        for (size_t b = 0; b < 4; b++) {
            auto_case c = case_of(N, N, d, d);
            size_t keys = 0;

            case_exact(&c, W);
            case_causal(&c, 0);
            c.h.rule.window = W;
            c.h.tile.Br = c.h.tile.Bc = B[b];
            for (size_t t = 0; t < N / B[b]; t++)
                keys += B[b] * (1 + min_size(t, tiles(W - 1, B[b])));
            case_run(&c, &chapter_06_steps[1]);
            assert_int_equal(counts_moved(c.counts),
                             2 * N * d + N + 2 * d * keys);
        }
}

/* --- Tiles ---------------------------------------------------------------- */

/* One of Br and Bc is x = max(1, M / row), and the other is min(x, d). */
TEST(the_tile_rules_equal_those_of_the_pages)
{
    const size_t d = 64, dv = 32;
    const struct {
        const char *name;
        tile_sizes (*rule)(const head *h, size_t M);
        size_t row;   /* elements on chip: one row of each tile */
        bool queries; /* Br is M / row, not Bc */
    } rules[] = {
        {"flash1", flash1_tiles, 2 * (d + dv), false},
        {"flash2_deferred", flash2_deferred_tiles, 2 * (d + dv), false},
        {"flash2", flash2_tiles, 2 * (d + dv), true},
        {"flash1_backward", flash1_backward_tiles, 4 * (d + dv), false},
        {"flash2_backward", flash2_backward_tiles, 4 * d + 3 * dv, false},
        {"two kernels, dK and dV", two_kernel_tiles, 3 * (d + dv), false},
        {"two kernels, dQ", dq_tiles, 3 * (d + dv), true},
    };

    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++)
        for (size_t M = 1; M < 200000; M = M * 2 + 7)
            for (size_t set = 0; set < 4; set++) {
                /* if only one of Br and Bc is set, the rule ignores it */
                head h = {.d = d,
                          .dv = dv,
                          .tile.Br = set & 1 ? 3 : 0,
                          .tile.Bc = set & 2 ? 5 : 0};
                tile_sizes got = rules[k].rule(&h, M), want = {3, 5};

                if (set < 3) {
                    want.Bc = max_size(1, M / rules[k].row);
                    want.Br = min_size(want.Bc, d);
                }
                if (set < 3 ? rules[k].queries : rules[k].rule == dq_tiles)
                    want = (tile_sizes){want.Bc, want.Br};
                if (got.Br != want.Br || got.Bc != want.Bc)
                    fail_msg("%s, M %zu, requested Br %zu, Bc %zu: %zu x %zu, "
                             "want %zu x %zu",
                             rules[k].name, M, h.tile.Br, h.tile.Bc, got.Br,
                             got.Bc, want.Br, want.Bc);
            }
}
