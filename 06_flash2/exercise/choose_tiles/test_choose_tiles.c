/*
 * For the grader:
 *   no points: nothing_may_fit
 *   choose_tiles: Nq Nk d dv M
 */
#include "choose_tiles.h"

#include "common/testing/rows.h"
#include "common/testing/variant.h"

typedef struct {
    const char *test;
    size_t Nq, Nk, d, dv, M;
} problem;

static size_t moved(problem p, tile_sizes t)
{
    return (p.d + p.dv) * (p.Nq + tiles(p.Nq, t.Br) * p.Nk);
}

static bool fits(problem p, tile_sizes t)
{
    return (t.Br + t.Bc) * (p.d + p.dv) <= p.M;
}

/* Tries each Br with the largest Bc that fits. */
static tile_sizes best(problem p)
{
    tile_sizes best = {0, 0};

    for (size_t Br = 1; Br <= p.Nq; Br++) {
        tile_sizes t = {Br, p.Nk};

        while (t.Bc > 0 && !fits(p, t))
            t.Bc--;
        if (t.Bc == 0)
            break;
        if (best.Br == 0 || moved(p, t) < moved(p, best) ||
            (moved(p, t) == moved(p, best) && t.Bc > best.Bc))
            best = t;
    }
    return best;
}

static void fail_for(problem p, tile_sizes got, const char *why)
{
    tile_sizes want = best(p);

    fail_msg("%s\n  Nq %zu, Nk %zu, d %zu, dv %zu, M %zu: want Br %zu, Bc %zu, "
             "got Br %zu, Bc %zu",
             why, p.Nq, p.Nk, p.d, p.dv, p.M, want.Br, want.Bc, got.Br, got.Bc);
}

static void check(const void *row)
{
    problem p = *(const problem *)row;
    tile_sizes want = best(p), got = choose_tiles(p.Nq, p.Nk, p.d, p.dv, p.M);

    if (want.Br == 0) {
        if (got.Br != 0 || got.Bc != 0)
            fail_for(p, got, "one query and one key do not fit: return 0, 0");
        return;
    }
    if (got.Br == 0 || got.Bc == 0)
        fail_for(p, got, "some tiles fit");
    if (got.Br > p.Nq || got.Bc > p.Nk)
        fail_for(p, got, "a tile is larger than the head");
    if (!fits(p, got))
        fail_for(p, got, "no room: (Br + Bc) (d + dv) exceeds M");
    if (moved(p, got) > moved(p, want))
        fail_for(p, got, "a larger Br has less traffic");
    if (got.Bc < want.Bc)
        fail_for(p, got, "a larger Bc has the same traffic");
}

static void check_row(const void *row)
{
    problem p = *(const problem *)row;
    size_t factor = variant_size(1, 1, 2, 4);

    if (p.M >= 2 * (p.d + p.dv)) { /* if no tile fits, M does not grow */
        p.Nq *= factor;
        p.Nk *= factor;
        p.M *= factor;
    }
    check(&p);
}

TEST(any_head_on_any_chip)
{
    random_source source = variant_seed(44);

    for (int k = 0; k < 2000; k++) {
        problem p = {NULL,
                     1 + random_below(&source, 70),
                     1 + random_below(&source, 70),
                     1 + random_below(&source, 9),
                     1 + random_below(&source, 9),
                     random_below(&source, 900)};

        check(&p);
    }
}

int main(void)
{
    static const problem problems[] = {
        {"all_may_fit", 4, 4, 2, 2, 32},
        {SAME_TEST, 5, 6, 2, 2, 1000},
        {"queries_get_the_room", 64, 64, 8, 8, 16 * 9},
        {SAME_TEST, 4096, 64, 64, 64, 49152},
        {"keys_get_the_rest", 10, 64, 8, 8, 16 * 9},
        {SAME_TEST, 100, 100, 4, 4, 8 * 60},
        {"values_take_room_too", 30, 30, 2, 6, 64},
        {SAME_TEST, 30, 30, 6, 2, 64},
        {"nothing_may_fit", 4, 4, 2, 2, 3},
        {SAME_TEST, 4, 4, 2, 2, 7},
        {SAME_TEST, 4, 4, 2, 2, 8},
    };

    return run_table("choose_tiles", check_row, problems);
}
