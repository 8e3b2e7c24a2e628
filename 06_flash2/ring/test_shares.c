/*
 * Who owns, holds and sends what: the formulas as the page has them, the
 * balance, and the merge itself.
 */
#include "06_flash2/ring/merge.h"
#include "06_flash2/ring/test_on_ranks.h"
#include "common/testing/assert_close.h"

#include <string.h>

/* The formulas again, as a page has them, where P divides N and dv = d. */
static void the_formulas_are_those_of_the_page(void **state)
{
    size_t P = ranks, N = 6 * P, d = 5, Hq = 4 * P, Hk = 2 * P;
    ring_problem p = {.Hq = Hq, .Hk = Hk, .Nq = N, .Nk = N, .d = d, .dv = d};

    (void)state;
    for (size_t k = 0; k < 3; k++) /* gather, ring, zigzag */
        assert_int_equal(ring_steps[k].sent(&p, P, self),
                         2 * (P - 1) * (N / P) * Hk * d);
    assert_int_equal(ring_steps[3].sent(&p, P, self),
                     (2 * Hq + 2 * Hk) * d * (N / P) * (P - 1) / P);
    p.Nq = 1;
    assert_int_equal(ring_steps[4].sent(&p, P, self),
                     2 * (P - 1) * (Hq / P) * (d + 2));
    p.Nk = 1000 * N; /* whatever N is */
    assert_int_equal(ring_steps[4].sent(&p, P, self),
                     2 * (P - 1) * (Hq / P) * (d + 2));
}

static double balance_measured(const ring_step *step, size_t N)
{
    sizes z = {1, 1, N, N, 2, 2, true, 0};
    source s = made_of(&z);
    ring_problem p = problem_of(&z);
    outcome found;
    rank me;

    assert_int_equal(measure(&me, MPI_COMM_WORLD, &p, step, &s, &found), 0);
    rank_end(&me);
    return found.balance;
}

static void zigzag_is_balanced_where_2P_divides_N(void **state)
{
    (void)state;
    assert_close(balance_measured(&ring_steps[2], 6 * ranks), 1, 1e-12);
}

static void neighbours_are_as_unbalanced_as_the_formula_says(void **state)
{
    (void)state;
    assert_close(balance_measured(&ring_steps[1], 5 * ranks),
                 balance_of_neighbours(5 * ranks, ranks), 1e-12);
    assert_close(balance_of_neighbours(1000000, 2), 0.667, 1e-3);
    assert_close(balance_of_neighbours(1000000, 4), 0.571, 1e-3);
    assert_close(balance_of_neighbours(1000000, 8), 0.533, 1e-3);
}

static void every_row_has_one_owner(void **state)
{
    owner_rule *const rules[] = {neighbours, folded};

    (void)state;
    for (size_t k = 0; k < 2; k++)
        for (size_t N = 0; N < 70; N++) {
            size_t owners[70] = {0};

            for (size_t r = 0; r < ranks; r++)
                for (size_t half = 0; half < 2; half++) {
                    chunk c = share_of(rules[k], N, ranks, r).part[half];

                    for (size_t i = 0; i < c.n; i++)
                        owners[c.first + i]++;
                }
            for (size_t i = 0; i < N; i++)
                assert_int_equal(owners[i], 1);
        }
}

static void only_gather_holds_all_keys(void **state)
{
    size_t N = 1000 * ranks, d = 8, all = 2 * N * d;
    ring_problem p = {
        .Hq = ranks, .Hk = ranks, .Nq = N, .Nk = N, .d = d, .dv = d};

    (void)state;
    all *= p.Hk;
    assert_true(ring_steps[0].held(&p, ranks, self) > all);
    for (size_t k = 1; k < 4; k++)
        assert_true(ring_steps[k].held(&p, ranks, self) * ranks < 5 * all);
    p.Nq = 1; /* tree's queries are few */
    assert_true(ring_steps[4].held(&p, ranks, self) * ranks <
                all + ranks * ranks * ranks * 40);
}

/* Parts of five, in any order and any grouping. */
static void merging_does_not_mind_the_order(void **state)
{
    float part[3][4] = {{1.5f, 2, 0.25f, -3}, {-4, 1, 1, 2}, {3, 1.25f, 0, 1}};
    float nothing[4] = {-INFINITY, 0, 0, 0};
    float a[4], b[4], c[4];

    (void)state;
    memcpy(a, part[0], sizeof a);
    merge(a, part[1][0], part[1][1], part[1] + 2, 2);
    merge(a, part[2][0], part[2][1], part[2] + 2, 2);
    memcpy(b, part[1], sizeof b);
    merge(b, part[2][0], part[2][1], part[2] + 2, 2);
    merge(b, part[0][0], part[0][1], part[0] + 2, 2);
    memcpy(c, part[2], sizeof c);
    merge(c, nothing[0], nothing[1], nothing + 2, 2);
    assert_memory_equal(c, part[2], sizeof c);
    merge(nothing, part[2][0], part[2][1], part[2] + 2, 2);
    assert_memory_equal(nothing, part[2], sizeof nothing);
    for (size_t k = 0; k < 4; k++)
        assert_close(a[k], b[k], 1e-6);
}

static void a_chunk_of_nan_makes_the_row_nan(void **state)
{
    float bad[4] = {-INFINITY, NAN, NAN, NAN}, good[4] = {1, 2, 3, 4};

    (void)state;
    merge(good, bad[0], bad[1], bad + 2, 2);
    assert_true(isnan(good[1]) && isnan(good[2]) && isnan(good[3]));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_formulas_are_those_of_the_page),
        cmocka_unit_test(zigzag_is_balanced_where_2P_divides_N),
        cmocka_unit_test(neighbours_are_as_unbalanced_as_the_formula_says),
        cmocka_unit_test(every_row_has_one_owner),
        cmocka_unit_test(only_gather_holds_all_keys),
        cmocka_unit_test(merging_does_not_mind_the_order),
        cmocka_unit_test(a_chunk_of_nan_makes_the_row_nan),
    };

    return run_on_ranks(argc, argv, "shares", tests);
}
