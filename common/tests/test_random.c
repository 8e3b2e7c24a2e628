/* Compares random numbers with published ones, and tests distributions. */
#include "common/judge/reference_attention.h"
#include "common/lesson/attention/problem.h"
#include "common/data/random.h"
#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

#include <math.h>

/* The expected numbers are the output of the reference code. */
TEST(the_bits_are_those_of_splitmix64)
{
    static const uint64_t of_0[] = {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4,
                                    0x06c45d188009454f};
    static const uint64_t of_1234567[] = {6457827717110365317,
                                          3203168211198807973};
    random_source zero = random_seed(0), other = random_seed(1234567);

    for (size_t i = 0; i < 3; i++)
        assert_true(random_bits(&zero) == of_0[i]);
    for (size_t i = 0; i < 2; i++)
        assert_true(random_bits(&other) == of_1234567[i]);
    zero = random_seed(0);
    assert_true(random_uniform(&zero) * 0x1p53 == (double)(of_0[0] >> 11));
}

/* With n = 3/4 of 2^64, half of the plain remainders would be in the first
 * third of [0, n). The tolerance is four standard deviations. */
TEST(random_below_returns_all_numbers_with_equal_probability)
{
    const int draws = 200000;
    random_source r = random_seed(3);
    size_t third = (size_t)1 << 62, hits = 0;

    for (size_t n = 1; n <= 64; n++) {
        uint64_t seen = 0;

        for (int i = 0; i < 2000; i++) {
            size_t x = random_below(&r, n);

            assert_true(x < n);
            seen |= (uint64_t)1 << x;
        }
        assert_true(seen == UINT64_MAX >> (64 - n));
    }
    needs_64_bits();
    for (int i = 0; i < draws; i++)
        hits += random_below(&r, 3 * third) < third;
    assert_close((double)hits / draws, 1 / 3.0, 4 * 0.4714 / sqrt(draws));
}

/* Python's math module computed the expected numbers from the bits of seed 0.
 * The last seed has 64 zero bits as its first number: log 0 must not occur. */
TEST(the_first_normal_numbers_are_those_of_python)
{
    static const double want[] = {-1.8839083333524405, 0.22760793546360525,
                                  -0.22143788059715477, 0.08341854419566393};
    random_source r = random_seed(0);
    float x[] = {0, 0, 0, 42};

    assert_close(random_normal(&r), want[0], 1e-14);
    random_fill(&r, x, 3, 2.5);
    for (size_t i = 0; i < 3; i++)
        assert_close(x[i], 2.5 * want[i + 1], 1e-7);
    assert_close(x[3], 42, 0);
    r = random_seed(-UINT64_C(0x9e3779b97f4a7c15));
    assert_close(random_normal(&r), 0, 0);
}

/* Rows are peaked, as problem.h describes. In uniform rows the largest weight
 * would be 1/256. */
TEST(random_problems_have_the_documented_scores)
{
    enum { N = 256 };
    const problem_sizes sizes = {1, 2, 1, N, N, 32, 32, 5};
    double p[N], m, l, squares = 0, largest = 0, steepness = 0;
    size_t rising = 0;
    problem random;

    assert_int_equal(problem_random(&random, &sizes), 0);
    for (size_t i = 0; i < 2 * N; i++) {
        head h = head_at(&random.layer, i / N);
        double halves[2] = {0};

        reference_weights(&h, i % N, p, &m, &l);
        largest += 1 / l / (2 * N);
        for (size_t j = 0; j < N; j++) {
            double s = reference_score(&h, i % N, j);

            squares += s * s;
            halves[j >= N / 2] += s;
        }
        rising += halves[1] > halves[0];
        steepness += fabs(halves[1] - halves[0]) / (N / 2) / (2 * N);
    }
    assert_true(largest > 0.15 && steepness > 1);
    assert_close(sqrt(squares / (2 * N * N)), 3.3, 0.4);
    assert_close((double)rising / (2 * N), 0.5, 0.1);
    problem_free(&random);
}
