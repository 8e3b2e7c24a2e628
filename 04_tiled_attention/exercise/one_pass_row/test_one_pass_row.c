/*
 * For the grader:
 *   no points: a_nan_score_makes_o_nan
 *   asks: float score_of(size_t j)
 *   asks: const float *value(size_t j)[dv]
 *   one_pass_row: dv n o[dv] => o
 */
#include "one_pass_row.h"

#include <math.h>
#include <string.h>

#include "common/judge/reference.h"
#include "common/testing/assert_close.h"
#include "common/testing/rows.h"
#include "common/testing/variant.h"

enum { MOST = 300, DV = 2 };

static float s[MOST], V[MOST][DV];
static size_t length, scores_read;

static float score(size_t j)
{
    if (j >= length)
        fail_msg("score %zu was read, but the number of keys is %zu", j,
                 length);
    if (j < scores_read)
        fail_msg("more than one pass: the score of key %zu was read again", j);
    if (j > scores_read)
        fail_msg("key %zu was skipped: the order is 0, 1, ..., n - 1",
                 scores_read);
    scores_read++;
    return s[j];
}

static const float *value(size_t j)
{
    static float on_chip[DV];

    if (j >= length || j + 1 != scores_read)
        fail_msg("the value of key %zu was read after %zu scores: read each "
                 "key once, its score and then its value",
                 j, scores_read);
    memcpy(on_chip, V[j], sizeof on_chip);
    return on_chip;
}

static void check(size_t n, const char *why)
{
    double p[MOST], L, want[DV] = {0};
    float o[DV] = {NAN, NAN};

    reference_softmax(s, p, n, &L);
    for (size_t j = 0; j < n; j++)
        for (size_t c = 0; c < DV; c++)
            want[c] += p[j] == 0 || L == -HUGE_VAL ? 0 : p[j] * (double)V[j][c];
    length = n;
    scores_read = 0;
    one_pass_row(o, DV, score, value, n);
    for (size_t c = 0; c < DV; c++)
        if (!is_close_or_nan((double)o[c], want[c], 1e-5)) {
            print_error("%s\n  %s: want o[%zu] = %.6g, got %.6g%s\n", why,
                        quantity(n, "key", "keys").text, c, want[c],
                        (double)o[c], difference(want[c], (double)o[c]).text);
            for (size_t j = 0; j < n && j < 6; j++)
                print_error("  score %g, value %g\n", (double)s[j],
                            (double)V[j][c]);
            fail();
        }
}

/* The value of key j is (j + 1, -1) times variant_factor(), but the first
 * number of a masked key is NaN. */
typedef struct {
    const char *test, *scores, *why;
} entry;

static void check_entry(const void *row)
{
    const entry *e = row;
    size_t n;
    float *scores = numbers(e->scores, &n);
    float factor = variant_factor();

    for (size_t j = 0; j < n; j++) {
        s[j] = scores[j];
        V[j][0] = s[j] == -INFINITY ? NAN : factor * ((float)j + 1);
        V[j][1] = -factor;
    }
    check(n, e->why);
}

TEST(any_row_is_right)
{
    random_source source = variant_seed(43);

    for (size_t n = 1; n <= MOST; n += variant_size(43, 23, 7, 40)) {
        random_fill(&source, s, n, 4);
        random_fill(&source, V[0], n * DV, 1);
        check(n, "a row of random scores");
    }
}

int main(void)
{
    const entry entries[] = {
        {"equal_scores_give_the_mean", "3",
         "one key has all the weight: o is its value"},
        {SAME_TEST, "0 0 0",
         "equal scores: o is the mean of the values, a sum divided by l"},
        {"falling_scores_only_add", "2 1 0",
         "the maximum does not grow: add e^{s - m} V_j to o"},
        {"rising_scores_rescale_o", "0 1 2",
         "the maximum grew: multiply l and o by e^{old m - new m}"},
        {SAME_TEST, "0 60",
         "the maximum grew: multiply l and o by e^{old m - new m}"},
        {"large_scores_do_not_overflow", "1000 999 1001",
         "e^1000 overflows: subtract the maximum so far"},
        {"masked_keys_add_nothing", "0 -inf 0",
         "a masked key adds nothing, for any value"},
        {SAME_TEST, "-inf 1 2", "the first key is masked: -inf - -inf is NaN"},
        {SAME_TEST, "-inf -inf", "no key is attended: o is 0, not 0 / 0"},
        {SAME_TEST, "", "there are no keys: o is 0"},
        {"a_nan_score_makes_o_nan", "1 nan 2",
         "a NaN among the scores makes o NaN"},
    };

    return run_table("one_pass_row", check_entry, entries);
}
