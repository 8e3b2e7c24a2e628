/* Tests the five steps of chapter 04, and the counts on its page. */
#include "04_tiled_attention/steps.h"

#include <math.h>

#include "common/testing/assert_close.h"
#include "common/testing/contract/attention_contract.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The page's figures, as multiples of N d, N, N^2, N^2 d or d. */
static const struct {
    const char *name;
    const attention_step *step;
    size_t Nd, N, N2, N2d;   /* elements through HBM */
    size_t extra_N2, chip_d; /* S in HBM; Q, K, V, O on chip */
    size_t exps_N2, divisions_N2, rescales_N2, rescales_N2d;
} figures[] = {
    {"standard", &chapter_04_steps[0], 4, 0, 4, 0, 1, 2, 1, 1, 0, 0},
    {"three_pass", &chapter_04_steps[1], 2, 1, 0, 4, 0, 4, 2, 1, 0, 0},
    {"two_pass", &chapter_04_steps[2], 2, 1, 0, 3, 0, 4, 3, 1, 1, 0},
    {"one_pass", &chapter_04_steps[3], 2, 1, 0, 2, 0, 4, 2, 1, 1, 1},
};

static void check_cost(size_t step, size_t N, size_t d, const char *what,
                       size_t got, size_t want)
{
    if (got != want)
        fail_msg("%s, N %zu, d %zu, %s: want %zu, got %zu", figures[step].name,
                 N, d, what, want, got);
}

static void check_costs(size_t k, size_t N, size_t d)
{
    auto_case c = case_of(N, N, d, d);
    size_t Nd = N * d, N2 = N * N, N2d = N * N * d;

    case_exact(&c, N);
    case_run(&c, figures[k].step);
    check_cost(k, N, d, "moved", counts_moved(c.counts),
               figures[k].Nd * Nd + figures[k].N * N + figures[k].N2 * N2 +
                   figures[k].N2d * N2d);
    check_cost(k, N, d, "extra memory", c.extra, figures[k].extra_N2 * N2);
    assert_close(standard_bytes(&c.h, figures[k].step->name),
                 (double)(c.extra * sizeof(float)), 0);
    check_cost(k, N, d, "on chip", c.on_chip, figures[k].chip_d * d);
    check_cost(k, N, d, "exps", c.counts.exps, figures[k].exps_N2 * N2);
    check_cost(k, N, d, "divisions", c.counts.divisions,
               figures[k].divisions_N2 * N2);
    check_cost(k, N, d, "rescales", c.counts.rescales,
               figures[k].rescales_N2 * N2 + figures[k].rescales_N2d * N2d);
}

TEST(each_step_has_the_costs_of_the_page)
{
    const size_t sizes[][2] = {{1, 1}, {2, 4}, {17, 8}, {64, 5}, {100, 16}};

    for (size_t k = 0; k < COUNT(figures); k++)
        for (size_t n = 0; n < COUNT(sizes); n++)
            check_costs(k, sizes[n][0], sizes[n][1]);
}

TEST(a_tile_for_one_query_saves_no_traffic)
{
    const size_t Bc[] = {1, 3, 16, 100, 1000};

    for (size_t k = 0; k < COUNT(Bc); k++) {
        auto_case c = case_of(100, 100, 4, 4);
        size_t moved;

        case_exact(&c, 100);
        c.h.tile.Bc = Bc[k];
        case_run(&c, &chapter_04_steps[4]);
        moved = counts_moved(c.counts);
        case_run(&c, &chapter_04_steps[3]);
        assert_int_equal(moved, counts_moved(c.counts));
    }
}

/* One q, one o, and Bc rows of K and of V must fit in M. Bc + 1 must not. */
TEST(the_tile_is_the_largest_that_fits)
{
    head h = {.d = 6, .dv = 3};

    for (size_t M = 2 * (6 + 3); M < 200; M++) {
        size_t Bc = tiled_tiles(&h, M).Bc;

        assert_true((1 + Bc) * (6 + 3) <= M);
        assert_true((2 + Bc) * (6 + 3) > M);
    }
    assert_int_equal(tiled_tiles(&h, 0).Bc, 1);
    h.tile.Bc = 11;
    assert_int_equal(tiled_tiles(&h, 0).Bc, 11);
}

/* Every element of V is 1. If P is rounded to bf16, O is not exactly 1. */
TEST(P_is_rounded_to_its_storage_type)
{
    auto_case c = case_of(9, 100, 8, 1);
    double most = 0;

    case_exact(&c, 3);
    case_same_values(&c, 1);
    c.h.P.type = BF16;
    case_run(&c, &chapter_04_steps[0]);
    for (size_t i = 0; i < 9; i++)
        most = fmax(most, fabs((double)c.h.O.hbm.data[i] - 1));
    assert_true(most > 1e-4);
    assert_true(most < 0x1p-8);
}

int main(void)
{
    return run_attention_tests("tiled_attention", chapter_04_steps, NULL);
}
