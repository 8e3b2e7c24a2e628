/* Tests online_softmax, merged_softmax and merge. */
#include "03_online_softmax/steps.h"

#include <math.h>

#include "common/scores.h"
#include "common/matrix.h"
#include "common/data/random.h"
#include "common/testing/assert_close.h"
#include "common/testing/contract/softmax_contract.h"

/* m must be equal: it is one of the scores, and merging does not round it. l is
 * rounded in every merge. */
static void assert_same(softmax_state got, softmax_state want)
{
    assert_close(got.m, (double)want.m, 0);
    assert_close(got.l, (double)want.l, 1e-5 * (double)want.l);
}

static const softmax_state states[] = {
    {-INFINITY, 0}, {0, 1},     {0.5f, 2.57516f}, {0.3f, 2.90484f}, {-100, 3},
    {88.9f, 1.5f},  {1e30f, 2}, {-1e30f, 7},      {0, 1e6f},        {20, 1},
};
#define STATES (sizeof states / sizeof states[0])

TEST(merge_is_commutative_and_associative)
{
    for (size_t i = 0; i < STATES; i++)
        for (size_t j = 0; j < STATES; j++) {
            softmax_state a = states[i], b = states[j];

            assert_same(merge(a, b), merge(b, a));
            for (size_t k = 0; k < STATES; k++)
                assert_same(merge(merge(a, b), states[k]),
                            merge(a, merge(b, states[k])));
        }
}

TEST(the_empty_block_is_the_identity_and_a_nan_stays)
{
    const softmax_state empty = {-INFINITY, 0};
    const softmax_state broken[] = {{0, NAN}, {-INFINITY, NAN}, {1e30f, NAN}};

    for (size_t i = 0; i < STATES; i++) {
        const softmax_state both[] = {merge(empty, states[i]),
                                      merge(states[i], empty)};

        for (size_t k = 0; k < 2; k++) {
            assert_close(both[k].m, (double)states[i].m, 0);
            assert_close(both[k].l, (double)states[i].l, 0);
        }
        for (size_t b = 0; b < 3; b++) {
            assert_true(isnan(merge(broken[b], states[i]).l));
            assert_true(isnan(merge(states[i], broken[b]).l));
        }
    }
}

static softmax_state state_of(const float *x, size_t n)
{
    softmax_state s = {max_of(x, n), 0};

    for (size_t i = 0; i < n; i++)
        s.l += exp_minus(x[i], s.m);
    return s;
}

/* The scores are peaked, and some are masked, so the maxima of the blocks
 * differ much. */
TEST(blocks_may_be_merged_in_any_order)
{
    enum { N = 200 };
    random_source source = random_seed(5);
    size_t order[N / 5];
    float x[N];

    random_fill(&source, x, N, 8);
    for (size_t i = 0; i < N; i += 7)
        x[i] = -INFINITY;
    for (size_t b = 0; b < N / 5; b++)
        order[b] = b;
    for (int round = 0; round < 20; round++) {
        softmax_state all = {-INFINITY, 0};

        for (size_t b = N / 5; b-- > 0;) { /* Fisher-Yates shuffle */
            size_t other = random_below(&source, b + 1), drawn = order[other];

            order[other] = order[b];
            order[b] = drawn;
            all = merge(all, state_of(x + drawn * 5, 5));
        }
        assert_same(all, state_of(x, N));
    }
}

int main(void)
{
    const softmax_entry steps[] = {
        {"online_softmax", {online_softmax, 2, 64}, false},
        {"merged_softmax in blocks of 1", {merged_softmax, 2, 1}, false},
        {"merged_softmax in blocks of 3", {merged_softmax, 2, 3}, false},
        {"merged_softmax in blocks of 64", {merged_softmax, 2, 64}, false},
        {"merged_softmax in one block", {merged_softmax, 2, SIZE_MAX}, false},
        {0},
    };

    return run_softmax_tests("online_softmax", steps);
}
