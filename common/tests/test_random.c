/*
 * The random numbers: the published sequence, and what is made of it.
 */
#include "common/testing/assert_close.h"
#include "common/problem/random.h"
#include "common/testing/run_tests.h"

#include <math.h>

/* The reference code's output for the seeds 0 and 1234567. */
static void the_bits_are_those_of_splitmix64(void **state)
{
    static const uint64_t of_0[] = {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4,
                                    0x06c45d188009454f};
    static const uint64_t of_1234567[] = {
        6457827717110365317, 3203168211198807973, 9817491932198370423u,
        4593380528125082431, 16408922859458223821u};
    random_source r = random_seed(0);

    for (size_t i = 0; i < 3; i++)
        assert_true(random_bits(&r) == of_0[i]);
    r = random_seed(1234567);
    for (size_t i = 0; i < 5; i++)
        assert_true(random_bits(&r) == of_1234567[i]);
}

static void below_n_stays_below_n_and_reaches_all(void **state)
{
    random_source r = random_seed(3);

    for (size_t n = 1; n <= 64; n++) {
        uint64_t seen = 0;

        for (int i = 0; i < 2000; i++) {
            size_t x = random_below(&r, n);

            assert_true(x < n);
            seen |= (uint64_t)1 << x;
        }
        assert_true(seen == UINT64_MAX >> (64 - n));
    }
}

/*
 * With n = 3/4 of all that 64 bits can say, a remainder alone would fall in
 * the first third every second time. The tolerance is four standard deviations.
 */
static void below_n_favours_no_remainder(void **state)
{
    const int draws = 200000;
    random_source r = random_seed(4);
    size_t third = (size_t)1 << 62, hits = 0;

    needs_64_bits();
    for (int i = 0; i < draws; i++)
        hits += random_below(&r, 3 * third) < third;
    assert_close((double)hits / draws, 1 / 3.0, 4 * 0.4714 / sqrt(draws));
}

static void uniform_uses_the_upper_53_bits(void **state)
{
    random_source r = random_seed(5), copy = r;

    for (int i = 0; i < 100; i++)
        assert_true(random_uniform(&r) * 0x1p53 ==
                    (double)(random_bits(&copy) >> 11));
}

/* Worked out apart, with Python's math, from the bits of seed 0. */
static void the_first_normals_are_known(void **state)
{
    static const double want[] = {-1.8839083333524405, 0.22760793546360525,
                                  -0.22143788059715477, 0.08341854419566393};
    random_source r = random_seed(0);

    for (size_t i = 0; i < 4; i++)
        assert_close(random_normal(&r), want[i], 1e-14);
}

/* The one seed whose first 64 bits are all zero must not end in log 0. */
static void a_uniform_of_zero_gives_a_finite_normal(void **state)
{
    random_source r = random_seed(-UINT64_C(0x9e3779b97f4a7c15)), copy = r;

    assert_true(random_bits(&copy) == 0);
    assert_close(random_normal(&r), 0.0, 0.0);
}

static void fill_scales_and_fills_exactly_n(void **state)
{
    random_source r = random_seed(10), copy = r;
    float x[6] = {0, 0, 0, 0, 0, 42};

    random_fill(&r, x, 5, 2.5);
    for (int i = 0; i < 5; i++)
        assert_true(x[i] == (float)(2.5 * random_normal(&copy)));
    assert_true(x[5] == 42);
    assert_true(random_bits(&r) == random_bits(&copy));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bits_are_those_of_splitmix64),
        cmocka_unit_test(below_n_stays_below_n_and_reaches_all),
        cmocka_unit_test(below_n_favours_no_remainder),
        cmocka_unit_test(uniform_uses_the_upper_53_bits),
        cmocka_unit_test(the_first_normals_are_known),
        cmocka_unit_test(a_uniform_of_zero_gives_a_finite_normal),
        cmocka_unit_test(fill_scales_and_fills_exactly_n),
    };

    return run_tests("random", tests);
}
