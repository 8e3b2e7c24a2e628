/* Tests of counts, on-chip memory, and rounding of P and dS. */
#include "common/testing/contract/attention_contract.h"

#include <math.h>
#include <string.h>

#include "common/lesson/attention/heads.h"
#include "common/data/random.h"

static tile_sizes tiles_of(const attention_step *s, const attention_case *c)
{
    return step_tiles(s, &c->h, c->M);
}

static counts by_formula(const attention_step *s, const attention_case *c)
{
    layer one = layer_of(&c->h);

    return !is_backward(s) ? heads_formula(&one, s, c->M)
                           : backward_of(s)->formula(&c->g, tiles_of(s, c));
}

static void check_traffic(const attention_step *s, attention_case *c)
{
    static const char *const accounts[] = {"algorithm", "init", "L", "mask",
                                           "sink"};
    counts want, got;

    case_expect(c, s);
    case_run(c, s);
    case_check(c, s);
    want = by_formula(s, c);
    got = c->counts;
    for (size_t b = 0; b < ACCOUNTS; b++) {
        tile_sizes t = tiles_of(s, c);

        if (got.read[b] == want.read[b] && got.written[b] == want.written[b])
            continue;
        print_case(c, s);
        fail_msg("%s, Br %zu, Bc %zu, add %d: counted %zu read, %zu written; "
                 "by formula %zu, %zu",
                 accounts[b], t.Br, t.Bc, c->g.add, got.read[b], got.written[b],
                 want.read[b], want.written[b]);
    }
}

/* Returns a random problem. Some problems have a causal limit, a window, a mask
 * or a softcap. Every fifth problem has no queries or no keys. */
static attention_case sized(const attention_step *s, random_source *source,
                            uint64_t seed)
{
    size_t Nq = random_below(source, 50), Nk = random_below(source, 70);
    size_t d = 1 + random_below(source, 20), dv = random_below(source, 20);
    attention_case c =
        case_of(seed % 10 == 0 ? 0 : Nq, seed % 10 == 5 ? 0 : Nk, d, dv);

    case_random(&c, seed);
    c.nth = seed;
    if (seed % 2)
        case_causal(&c, (long)random_below(source, 100) - 50);
    if (seed % 3 == 0)
        case_mask(&c);
    if (seed % 4 == 0)
        c.h.rule.softcap = seed % 8 ? 3 : 0.5f;
    if (seed % 7 < 3 && !is_excused(MASKS))
        c.h.rule.window = 1 + seed % 23;
    if (!is_backward(s))
        return c;
    case_backward(&c);
    c.g.add = seed % 7 < 2;
    fill(c.g.dK.hbm, 0);
    fill(c.g.dV.hbm, 0);
    memset(c.dK, 0, c.h.Nk * d * sizeof *c.dK);
    memset(c.dV, 0, c.h.Nk * dv * sizeof *c.dV);
    return c;
}

static void counted_traffic_equals_the_formula(const attention_step *s)
{
    random_source source = random_seed(61);

    for (uint64_t seed = 1; seed <= 200; seed++) {
        auto_case c = sized(s, &source, seed);

        c.h.tile.Br = 1 + random_below(&source, 20);
        c.h.tile.Bc = 1 + random_below(&source, 20);
        check_traffic(s, &c);
    }
}

static void tiles_chosen_from_M_fit_and_their_traffic_equals_the_formula(
    const attention_step *s)
{
    random_source source = random_seed(62);

    for (uint64_t seed = 1; seed <= 100; seed++) {
        auto_case c = sized(s, &source, seed);

        c.M = (!is_backward(s) ? 2 : 4) * (c.h.d + c.h.dv) +
              random_below(&source, 3000);
        check_traffic(s, &c);
        if (c.on_chip > c.M)
            fail_msg("%zu elements in use of %zu (d %zu, dv %zu)", c.on_chip,
                     c.M, c.h.d, c.h.dv);
    }
}

/* The tiles on chip have Br rows of Q and O and Bc rows of K and V, limited to
 * Nq and Nk. The exact count shows that no tile is in scratch instead. */
static void tiles_of_Q_K_V_and_O_are_counted_on_chip(const attention_step *s)
{
    const tile_sizes sizes[] = {{1, 1}, {3, 5}, {16, 2}, {1000000, 1000000}};

    for (size_t k = 0; s->tiles && k < 4; k++) {
        auto_case c = case_of(21, 34, 4, 3);
        tile_sizes t;

        case_random(&c, 66);
        c.h.tile.Br = sizes[k].Br;
        c.h.tile.Bc = sizes[k].Bc;
        t = step_tiles(s, &c.h, c.M);
        case_run(&c, s);
        assert_int_equal(c.on_chip,
                         (min_size(t.Br, 21) + min_size(t.Bc, 34)) * (4 + 3));
    }
}

static void assert_refused(const attention_step *s, attention_case *c, int with,
                           const char *why)
{
    memory mem;
    int error;

    memory_init(&mem, c->M);
    error = case_try(c, s, &mem);
    assert_int_equal(error, with);
    assert_int_equal(mem.error, with);
    if (!strstr(mem.message, why))
        fail_msg("want \"%s\", got \"%s\"", why, mem.message);
    memory_reset(&mem);
    assert_int_equal(mem.error, MEMORY_OK);
}

static void an_M_that_is_too_small_is_refused(const attention_step *s)
{
    auto_case c = case_of(5, 7, 8, 8);
    size_t end = !is_backward(s) && s->tiles ? 32 : 16;

    case_random(&c, 64);
    if (is_backward(s))
        case_backward(&c);
    /* One row each of Q and O has 16 elements; one row each of Q, O, K and V
     * has 32. A step that accepts a smaller M would choose a tile size of 0 and
     * would never end. */
    for (size_t M = 13; M < end; M++) {
        char why[80];

        c.M = M;
        snprintf(why, sizeof why, "memory of %zu elements is too small", M);
        assert_refused(s, &c, MEMORY_TOO_SMALL, why);
        if (!is_backward(s))
            assert_refused(s, &c, MEMORY_TOO_SMALL, "a tile of 1 x 8");
    }
}

/* The relative error of a weight in bf16 is up to 2^-8. The errors of a row
 * partly cancel, so the error of O is less than 2^-9 max|V| here. A larger
 * error shows that other values are rounded, too. An error near 0 shows that
 * the weights are not rounded. */
static void rounding_P_changes_O_as_expected(const attention_step *s)
{
    auto_case c = case_of(9, 100, 8, 3);
    double most = 0;

    case_exact(&c, 65);
    case_same_values(&c, 1);
    case_expect(&c, s);
    c.h.P_type = BF16;
    c.O_tolerance += 0x1p-9;
    case_run(&c, s);
    case_check(&c, s);
    for (size_t i = 0; i < 9 * 3; i++)
        most = fmax(most, fabs((double)c.h.O.hbm.data[i] - 1));
    assert_true(most > 0x1p-14);
}

static double off(matrix got, const double *want)
{
    double most = 0;

    for (size_t k = 0; k < got.rows * got.cols; k++) {
        double error = fabs((double)got.data[k] - want[k]);

        most = isnan(error) || error > most ? error : most;
    }
    return most;
}

static attention_case rounded(const attention_step *s, precision P,
                              precision dS)
{
    attention_case c = case_of(9, 100, 8, 3);

    case_random(&c, 65);
    case_expect(&c, s);
    c.h.P_type = P;
    c.g.dS = dS;
    case_run(&c, s);
    return c;
}

/* dV is a sum over 9 queries of P times dO. Random dO are less than 4. */
static void rounding_P_changes_dV_as_expected(const attention_step *s)
{
    auto_case c = rounded(s, BF16, FP32);

    assert_true(off(c.g.dV.hbm, c.dV) >= 0x1p-13);
    assert_true(off(c.g.dV.hbm, c.dV) <= 9 * 4 * 0x1p-9);
}

static void rounding_dS_changes_dQ_and_dK_but_not_dV(const attention_step *s)
{
    auto_case c = rounded(s, FP32, BF16);

    assert_true(off(c.g.dV.hbm, c.dV) <= c.dV_tolerance);
    assert_true(off(c.g.dQ.hbm, c.dQ) > 4 * c.dQ_tolerance);
    assert_true(off(c.g.dK.hbm, c.dK) > 4 * c.dK_tolerance);
    assert_true(off(c.g.dQ.hbm, c.dQ) < 0x1p-9 * 100 * c.dQ_tolerance / 1e-6);
}

const attention_test memory_tests[] = {
    {CHECK(counted_traffic_equals_the_formula), .needs = COUNTED_ALONE},
    {CHECK(tiles_chosen_from_M_fit_and_their_traffic_equals_the_formula),
     .needs = COUNTED_ALONE},
    {CHECK(tiles_of_Q_K_V_and_O_are_counted_on_chip),
     .needs = COUNTED_ALONE | FORWARD_ALONE},
    {CHECK(an_M_that_is_too_small_is_refused), .needs = COUNTED_ALONE},
    {CHECK(rounding_P_changes_O_as_expected),
     .needs = COUNTED_ALONE | WEIGHTS_TO_1 | FORWARD_ALONE},
    {CHECK(rounding_P_changes_dV_as_expected),
     .needs = BACKWARD_ALONE | NARROW_WEIGHTS},
    {CHECK(rounding_dS_changes_dQ_and_dK_but_not_dV), .needs = BACKWARD_ALONE},
    {0},
};
