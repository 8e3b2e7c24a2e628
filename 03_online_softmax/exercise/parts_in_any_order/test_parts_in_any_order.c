/*
 * What logsumexp_of_parts has to give, whoever finished first.
 */
#include "parts_in_any_order.h"

#include <math.h>

#include "common/testing/variant.h"
#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

#define MOST 64

static void check(const part *parts, size_t n, double want, const char *why)
{
    float got = logsumexp_of_parts(parts, n);

    if (is_close_or_nan((double)got, want, 2e-6 * (1 + fabs(want))))
        return;
    print_error("%s\n  want L = %.8g, got %.8g, of these parts (m, l):\n", why,
                want, (double)got);
    for (size_t i = 0; i < n && i < 6; i++)
        print_error("  (%g, %g)\n", (double)parts[i].m, (double)parts[i].l);
    fail();
}

#define CHECK(want, why, ...)                                                  \
    check((const part[]){__VA_ARGS__},                                         \
          sizeof((const part[]){__VA_ARGS__}) / sizeof(part), want, why)

static void one_part_is_the_row(void **state)
{
    CHECK(2 + log(3), "L is m + ln l: both belong to it", {2, 3});
}

static void equal_maxima_add_their_sums(void **state)
{
    CHECK(1 + log(6), "with the same maximum the sums just add", {1, 2},
          {1, 4});
}

static void each_part_is_brought_to_the_common_maximum(void **state)
{
    const char *why = "sums made with different maxima don't add: rescale";

    CHECK(0.5 + log(4.95344), why, {0.5f, 2.57516f}, {0.3f, 2.90484f});
    CHECK(0.5 + log(4.95344), why, {0.3f, 2.90484f}, {0.5f, 2.57516f});
}

static void the_largest_may_come_in_the_middle(void **state)
{
    CHECK(3 + log(1 + exp(-2) + exp(-3)),
          "the largest maximum came in the middle: those before are rescaled, "
          "and those after it too",
          {0, 1}, {3, 1}, {1, 1});
}

static void big_maxima_do_not_overflow(void **state)
{
    const char *why = "e^m overflows, and L need not: subtract the maximum";

    CHECK(10000 + log(3), why, {10000, 1}, {10000, 2});
    CHECK(-10000 + log(3), why, {-10000, 1}, {-10000, 2});
}

static void empty_parts_change_nothing(void **state)
{
    CHECK(1 + log(2), "an empty part came first: -inf - -inf is NaN",
          {-INFINITY, 0}, {-INFINITY, 0}, {1, 2});
    CHECK(1 + log(2), "an empty part came last", {1, 2}, {-INFINITY, 0});
    CHECK(-HUGE_VAL, "nothing but empty parts: L is -inf", {-INFINITY, 0});
    check(NULL, 0, -HUGE_VAL, "no parts: L is -inf");
}

static void a_nan_is_not_lost(void **state)
{
    CHECK((double)NAN, "a NaN in an l is lost", {1, 2}, {0, NAN});
    CHECK((double)NAN, "a NaN in an l is lost", {0, NAN}, {1, 2});
    CHECK(1 + log(2), "a NaN where there is none", {1, 2});
}

/* A row of random parts, turned by every number of places. */
static void any_order_gives_the_same(void **state)
{
    random_source source = variant_seed(31);
    part parts[2 * MOST];
    double sum = 0;

    for (size_t i = 0; i < MOST; i++) {
        float m = (float)(8 * random_normal(&source));

        parts[i] = parts[i + MOST] = (part){m, 1 + (float)(i % 5)};
        sum += (double)parts[i].l * exp((double)m);
    }
    for (size_t first = 0; first < MOST; first++)
        check(parts + first, MOST, log(sum), "64 parts, in another order");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_part_is_the_row),
        cmocka_unit_test(equal_maxima_add_their_sums),
        cmocka_unit_test(each_part_is_brought_to_the_common_maximum),
        cmocka_unit_test(the_largest_may_come_in_the_middle),
        cmocka_unit_test(big_maxima_do_not_overflow),
        cmocka_unit_test(empty_parts_change_nothing),
        cmocka_unit_test(a_nan_is_not_lost),
        cmocka_unit_test(any_order_gives_the_same),
    };

    return run_tests("parts_in_any_order", tests);
}
