/*
 * For the grader:
 *   logsumexp_of_parts: n parts[n]
 */
#include "parts_in_any_order.h"

#include <math.h>

#include "common/testing/variant.h"
#include "common/testing/assert_close.h"
#include "common/testing/rows.h"

#define MOST 64

static void check(const part *parts, size_t n, double want, const char *why)
{
    float got = logsumexp_of_parts(parts, n);

    if (is_close_or_nan((double)got, want, 2e-6 * (1 + fabs(want))))
        return;
    print_error("%s\n  want L = %.8g, got %.8g, for these parts (m, l):\n", why,
                want, (double)got);
    for (size_t i = 0; i < n && i < 6; i++)
        print_error("  (%g, %g)\n", (double)parts[i].m, (double)parts[i].l);
    fail();
}

/* parts: m and l of the first part, then those of the next part, and so on. */
typedef struct {
    const char *test, *parts;
    double want;
    const char *why;
} entry;

static void check_entry(const void *row)
{
    const entry *e = row;
    part parts[3];
    size_t n;
    float *x = numbers(e->parts, &n);
    float shift = variant_shift();
    float factor = variant_factor();

    for (size_t i = 0; i < n / 2; i++)
        parts[i] = (part){x[2 * i] + shift, x[2 * i + 1] * factor};
    check(parts, n / 2, e->want + (double)shift + log((double)factor), e->why);
}

/* Rotates the order of 64 random parts by 0 to 63 places. */
TEST(any_order_gives_the_same_L)
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
        check(parts + first, MOST, log(sum),
              "64 random parts, in another order");
}

int main(void)
{
    const char *rescale =
                   "rescale sums of different maxima before you add them",
               *subtract =
                   "e^m overflows, but L does not: subtract the maximum";
    const entry entries[] = {
        {"one_part_gives_m_plus_ln_l", "2 3", 2 + log(3),
         "L is m + ln l, not m or ln l alone"},
        {"equal_maxima_add_their_sums", "1 2  1 4", 1 + log(6),
         "the maxima are equal: add the sums"},
        {"each_part_is_rescaled_to_the_common_maximum",
         "0.5 2.57516  0.3 2.90484", 0.5 + log(4.95344), rescale},
        {SAME_TEST, "0.3 2.90484  0.5 2.57516", 0.5 + log(4.95344), rescale},
        {"the_largest_maximum_may_be_in_the_middle", "0 1  3 1  1 1",
         3 + log(1 + exp(-2) + exp(-3)),
         "the largest maximum is in the middle: rescale the parts before it "
         "and after it"},
        {"big_maxima_do_not_overflow", "10000 1  10000 2", 10000 + log(3),
         subtract},
        {SAME_TEST, "-10000 1  -10000 2", -10000 + log(3),
         "e^m is 0, but L is not -inf: subtract the maximum"},
        {"empty_parts_change_nothing", "-inf 0  -inf 0  1 2", 1 + log(2),
         "the first part is empty: -inf - -inf is NaN"},
        {SAME_TEST, "1 2  -inf 0", 1 + log(2),
         "the last part is empty: it does not change L"},
        {SAME_TEST, "-inf 0", -HUGE_VAL, "all parts are empty: L is -inf"},
        {SAME_TEST, "", -HUGE_VAL, "there are no parts: L is -inf"},
        {"a_nan_is_not_lost", "1 2  0 nan", (double)NAN,
         "an l is NaN, but L is not"},
        {SAME_TEST, "0 nan  1 2", (double)NAN, "an l is NaN, but L is not"},
        {SAME_TEST, "1 2", 1 + log(2), "L is NaN, but no l is NaN"},
    };

    return run_table("parts_in_any_order", check_entry, entries);
}
