/*
 * The merge of two states has the laws that let blocks come in any order, in
 * any size and in any grouping.
 */
#include "03_online_softmax/steps.h"

#include <math.h>

#include "common/testing/assert_close.h"
#include "common/exp_minus.h"
#include "common/matrix.h"
#include "common/problem/random.h"
#include "common/testing/run_tests.h"
#include "common/testing/softmax_check.h"

#define N 200

/* m and l of n scores, straight from their definition. */
static softmax_state state_of(const float *x, size_t n)
{
    softmax_state s = {max_of(x, n), 0};

    for (size_t i = 0; i < n; i++)
        s.l += exp_minus(x[i], s.m);
    return s;
}

/* m is one of the scores and never rounded; l is, in every merge. */
static void assert_same(softmax_state got, softmax_state want)
{
    assert_close(got.m, (double)want.m, 0);
    assert_close(got.l, (double)want.l, 1e-5 * (double)want.l);
}

/* Peaked, with masked scores, so that blocks have maxima far apart. */
static const float *some_scores(float x[N])
{
    random_source source = random_seed(5);

    random_fill(&source, x, N, 8);
    for (size_t i = 0; i < N; i += 7)
        x[i] = -INFINITY;
    return x;
}

/* 0.1 0.5 0.4 | 0.2 0.3 0.3 */
static void the_worked_example_merges_by_hand(void **state)
{
    const float example[] = {0.1f, 0.5f, 0.4f, 0.2f, 0.3f, 0.3f};
    softmax_state a = state_of(example, 3), b = state_of(example + 3, 3);
    softmax_state both = merge(a, b);

    assert_close(a.m, 0.5, 1e-7);
    assert_close(a.l, 2.57516, 5e-6);
    assert_close(b.m, 0.3, 1e-7);
    assert_close(b.l, 2.90484, 5e-6);
    assert_close(both.m, 0.5, 1e-7);
    assert_close(both.l, 2.57516 + exp(-0.2) * 2.90484, 1e-5);
    assert_close(both.l, 4.95344, 5e-6);
}

/* --- The laws of merge ---------------------------------------------------- */

static const softmax_state states[] = {
    {-INFINITY, 0}, {0, 1},     {0.5f, 2.57516f}, {0.3f, 2.90484f}, {-100, 3},
    {88.9f, 1.5f},  {1e30f, 2}, {-1e30f, 7},      {0, 1e6f},        {20, 1},
};
#define STATES (sizeof states / sizeof states[0])

static void merge_is_commutative(void **state)
{
    for (size_t i = 0; i < STATES; i++)
        for (size_t j = 0; j < STATES; j++)
            assert_same(merge(states[i], states[j]),
                        merge(states[j], states[i]));
}

static void merge_is_associative(void **state)
{
    for (size_t i = 0; i < STATES; i++)
        for (size_t j = 0; j < STATES; j++)
            for (size_t k = 0; k < STATES; k++) {
                softmax_state a = states[i], b = states[j], c = states[k];

                assert_same(merge(merge(a, b), c), merge(a, merge(b, c)));
            }
}

/* Exactly: to merge with an empty block costs not even a rounding. */
static void the_empty_block_is_the_identity(void **state)
{
    const softmax_state empty = {-INFINITY, 0};

    for (size_t i = 0; i < STATES; i++) {
        softmax_state left = merge(empty, states[i]);
        softmax_state right = merge(states[i], empty);

        assert_close(left.m, (double)states[i].m, 0);
        assert_close(left.l, (double)states[i].l, 0);
        assert_close(right.m, (double)states[i].m, 0);
        assert_close(right.l, (double)states[i].l, 0);
    }
}

static void a_nan_stays_in_the_sum(void **state)
{
    const softmax_state broken[] = {{0, NAN}, {-INFINITY, NAN}, {1e30f, NAN}};

    for (size_t b = 0; b < 3; b++)
        for (size_t i = 0; i < STATES; i++) {
            assert_true(isnan(merge(broken[b], states[i]).l));
            assert_true(isnan(merge(states[i], broken[b]).l));
        }
}

/* --- Blocks --------------------------------------------------------------- */

static void blocks_may_come_in_any_size(void **state)
{
    const size_t sizes[] = {1, 2, 3, 5, 64, N - 1, N, N + 1, SIZE_MAX};
    float x[N];

    some_scores(x);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        check_softmax(&(softmax_subject){merged_softmax, 2, sizes[s]}, x, N);
}

/* 40 blocks of 5, merged in 20 random orders. */
static void blocks_may_come_in_any_order(void **state)
{
    random_source source = random_seed(6);
    float x[N];
    softmax_state want = state_of(some_scores(x), N);
    size_t order[N / 5];

    for (size_t b = 0; b < N / 5; b++)
        order[b] = b;
    for (int round = 0; round < 20; round++) {
        softmax_state all = {-INFINITY, 0};

        for (size_t b = N / 5; b-- > 0;) { /* Fisher and Yates */
            size_t other = random_below(&source, b + 1), drawn = order[other];

            order[other] = order[b];
            order[b] = drawn;
            all = merge(all, state_of(x + drawn * 5, 5));
        }
        assert_same(all, want);
    }
}

/* As threads would: halves of halves, down to one score. */
static softmax_state state_by_halves(const float *x, size_t n)
{
    if (n == 1)
        return (softmax_state){x[0], exp_minus(x[0], x[0])};
    return merge(state_by_halves(x, n / 2),
                 state_by_halves(x + n / 2, n - n / 2));
}

static void blocks_may_be_merged_as_a_tree(void **state)
{
    float x[N];
    softmax_state want = state_of(some_scores(x), N);

    assert_same(state_by_halves(x, N), want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_example_merges_by_hand),
        cmocka_unit_test(merge_is_commutative),
        cmocka_unit_test(merge_is_associative),
        cmocka_unit_test(the_empty_block_is_the_identity),
        cmocka_unit_test(a_nan_stays_in_the_sum),
        cmocka_unit_test(blocks_may_come_in_any_size),
        cmocka_unit_test(blocks_may_come_in_any_order),
        cmocka_unit_test(blocks_may_be_merged_as_a_tree),
    };

    return run_tests("merge", tests);
}
