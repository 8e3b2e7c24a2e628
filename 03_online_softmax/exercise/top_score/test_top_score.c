/*
 * For the grader:
 *   asks: float score(size_t i)
 *   top_score: n
 */
#include "top_score.h"

#include <math.h>

#include "common/testing/variant.h"
#include "common/testing/assert_close.h"
#include "common/testing/rows.h"

#define MOST 500

static float x[MOST];
static size_t length, reads;

static float score(size_t i)
{
    reads++;
    if (i >= length)
        fail_msg("score %zu was read, but the row has %s", i,
                 quantity(length, "score", "scores").text);
    return x[i];
}

static void check(size_t n, float m, size_t at, double weight, const char *why)
{
    top got;

    length = n;
    reads = 0;
    got = top_score(score, n);
    if (reads > n)
        fail_msg("more than one pass: %s for a row of %s",
                 quantity(reads, "read", "reads").text,
                 quantity(n, "score", "scores").text);
    if (got.m == m && got.at == at &&
        is_close_or_nan((double)got.weight, weight, 1e-5 * weight))
        return;
    print_error("%s\n  want m = %g, at = %zu, weight = %g, got m = %g, at = "
                "%zu, weight = %g\n",
                why, (double)m, at, weight, (double)got.m, got.at,
                (double)got.weight);
    for (size_t i = 0; i < n && i < 6; i++)
        print_error("  x[%zu] = %g\n", i, (double)x[i]);
    fail();
}

typedef struct {
    const char *test, *scores;
    float m;
    size_t at;
    double weight;
    const char *why;
} entry;

static void check_entry(const void *row)
{
    const entry *e = row;
    size_t n;
    float *scores = numbers(e->scores, &n);
    float shift = variant_shift();

    for (size_t i = 0; i < n; i++)
        x[i] = scores[i] + shift;
    check(n, e->m + shift, e->at, e->weight, e->why);
}

TEST(any_row_is_right)
{
    random_source source = variant_seed(30);

    for (size_t n = 1; n <= MOST; n += 17) {
        size_t at = 0;
        double sum = 0;

        random_fill(&source, x, n, 4);
        for (size_t i = 1; i < n; i++)
            at = x[i] > x[at] ? i : at;
        for (size_t i = 0; i < n; i++)
            sum += exp((double)x[i] - (double)x[at]);
        check(n, x[at], at, 1 / sum, "a row of random scores");
    }
}

int main(void)
{
    const double of_three = 1 / (1 + exp(-1) + exp(-2));
    const entry entries[] = {
        {"a_single_score_has_weight_1", "3", 3, 0, 1,
         "one score has all the weight"},
        {SAME_TEST, "-3", -3, 0, 1, "all scores may be below 0"},
        {"falling_scores_add_to_the_sum", "2 1 0", 2, 0, of_three,
         "the weight is 1 over the sum of all e^{x - m}"},
        {"rising_scores_rescale_the_sum", "0 1 2", 2, 2, of_three,
         "the maximum grew: rescale the sum to the new maximum"},
        {"the_first_of_equal_scores_is_the_top", "1 5 5 5", 5, 1,
         1 / (3 + exp(-4)), "the top is the first of equal scores"},
        {"big_scores_do_not_overflow", "1000 999 1001", 1001, 2, of_three,
         "e^1000 overflows: subtract the maximum so far"},
        {"a_masked_score_is_never_the_top", "-inf -inf 1 -inf 1", 1, 2, 0.5,
         "the first score is masked: -inf - -inf is NaN"},
        {SAME_TEST, "-inf -inf", -INFINITY, 2, 0,
         "all scores are masked: there is no top"},
        {SAME_TEST, "", -INFINITY, 0, 0, "an empty row has no top"},
        {"a_nan_is_not_lost", "1 nan 2", 2, 2, (double)NAN,
         "a NaN score makes weight NaN; m and at ignore it"},
        {SAME_TEST, "nan 3", 3, 1, (double)NAN,
         "a NaN score makes weight NaN; m and at ignore it"},
    };

    return run_table("top_score", check_entry, entries);
}
