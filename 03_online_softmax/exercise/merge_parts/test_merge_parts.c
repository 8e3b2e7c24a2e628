/*
 * For the grader:
 *   no points: two_empty_parts_are_empty
 *   no points: order_and_grouping_do_not_matter
 *   worth 2: the_first_sum_is_rescaled
 *   worth 2: the_second_sum_is_rescaled
 *   worth 2: merged_blocks_give_the_state_of_the_row
 *   merge_parts: a b
 */
#include "merge_parts.h"

#include <math.h>

#include "common/testing/assert_close.h"
#include "common/scores.h"
#include "common/testing/variant.h"
#include "common/testing/rows.h"

#define N 240

static void check(part a, part b, part want, const char *reason)
{
    part got = merge_parts(a, b);

    if (is_close_or_nan((double)got.m, (double)want.m, 0) &&
        is_close_or_nan((double)got.l, (double)want.l,
                        1e-5 * fabs((double)want.l)))
        return;
    if (got.l > 1.001f * (a.l + b.l))
        reason = "a rescaled sum shrinks: the factor is e^{its m - the larger "
                 "m} <= 1";
    print_error("%s\n"
                "  (%.7g, %.7g) + (%.7g, %.7g): want (%.7g, %.7g), got (%.7g,"
                " %.7g)%s\n",
                reason, (double)a.m, (double)a.l, (double)b.m, (double)b.l,
                (double)want.m, (double)want.l, (double)got.m, (double)got.l,
                difference((double)want.l, (double)got.l).text);
    fail();
}

static part part_of(const float *x, size_t n)
{
    part p = {max_of(x, n), 0};

    for (size_t i = 0; i < n; i++)
        p.l += exp_minus(x[i], p.m);
    return p;
}

/* Fills x with peaked scores, of which every seventh is masked. Returns x. */
static const float *some_scores(float x[N])
{
    random_source source = variant_seed(8);

    random_fill(&source, x, N, 8);
    for (size_t i = 0; i < N; i += 7)
        x[i] = -INFINITY;
    return x;
}

/* Returns the part (m, l). VARIANT adds a number to m and multiplies l. */
static part varied(float m, float l)
{
    return (part){m + variant_shift(), l * variant_factor()};
}

static const part parts[] = {{0.5f, 2.57516f}, {0.3f, 2.90484f}, {-100, 3},
                             {89, 1.5f},       {1e30f, 2},       {0, 1}};
#define PARTS (sizeof parts / sizeof parts[0])

typedef struct {
    const char *test;
    float a_m, a_l, b_m, b_l, want_m, want_l;
    const char *why;
} entry;

static void check_entry(const void *row)
{
    const entry *e = row;

    check(varied(e->a_m, e->a_l), varied(e->b_m, e->b_l),
          varied(e->want_m, e->want_l), e->why);
}

TEST(the_empty_part_changes_nothing)
{
    const part empty = {-INFINITY, 0};

    for (size_t i = 0; i < PARTS; i++) {
        part one = varied(parts[i].m, parts[i].l);

        check(empty, one, one,
              "an empty first part must not change the second part");
        check(one, empty, one,
              "an empty second part must not change the first part");
    }
}

TEST(order_and_grouping_do_not_matter)
{
    for (size_t i = 0; i < PARTS; i++)
        for (size_t j = 0; j < PARTS; j++)
            for (size_t k = 0; k < PARTS; k++) {
                part a = parts[i], b = parts[j], c = parts[k];

                check(a, b, merge_parts(b, a), "a + b is not b + a");
                check(merge_parts(a, b), c, merge_parts(a, merge_parts(b, c)),
                      "(a + b) + c is not a + (b + c)");
            }
}

TEST(merged_blocks_give_the_state_of_the_row)
{
    const size_t sizes[] = {1, 2, 3, 5, 64, N};
    float x[N];
    part whole = part_of(some_scores(x), N);

    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        part all = {-INFINITY, 0};

        for (size_t k = 0, blocks = tiles(N, sizes[s]); k < blocks; k++) {
            size_t i = (k + blocks / 2) % blocks * sizes[s]; /* any order */

            all = merge_parts(all, part_of(x + i, min_size(sizes[s], N - i)));
        }
        assert_close(all.m, whole.m, 0);
        assert_close(all.l, whole.l, 1e-5 * (double)whole.l);
    }
}

int main(void)
{
    const entry entries[] = {
        {"equal_maxima_add_their_sums", 3, 1.5f, 3, 2, 3, 3.5f,
         "the maxima are equal: add the sums"},
        {"the_second_sum_is_rescaled", 0.5f, 2.57516f, 0.3f, 2.90484f, 0.5f,
         4.95344f,
         "the second sum is relative to a smaller maximum: rescale it"},
        {"the_first_sum_is_rescaled", 0.3f, 2.90484f, 0.5f, 2.57516f, 0.5f,
         4.95344f,
         "the first sum is relative to a smaller maximum: rescale it, too"},
        {SAME_TEST, 10000, 1, 10001, 1, 10001, 1.3678794f,
         "e^10000 overflows: only the difference of two maxima is safe"},
        {"a_much_larger_maximum_dominates", -1e4f, 3, 1e4f, 2, 1e4f, 2,
         "relative to a much larger maximum, the other sum is 0"},
        {SAME_TEST, 1e30f, 2, 0, 3, 1e30f, 2,
         "relative to a much larger maximum, the other sum is 0"},
        {"two_empty_parts_are_empty", -INFINITY, 0, -INFINITY, 0, -INFINITY, 0,
         "two masked parts merge to a masked part, but -inf - -inf is NaN"},
        {"a_nan_is_not_lost", 0, NAN, 1, 2, 1, NAN,
         "l of the first part is NaN, but l of the result is not"},
        {SAME_TEST, 1, 2, 0, NAN, 1, NAN,
         "l of the second part is NaN, but l of the result is not"},
        {SAME_TEST, -INFINITY, NAN, 1, 2, 1, NAN,
         "l is NaN with m = -inf, but l of the result is not NaN"},
    };

    return run_table("merge_parts", check_entry, entries);
}
