/*
 * For the grader:
 *   no points: where_all_are_empty_so_is_the_row
 *   worth 2.5: any_split_gives_the_whole_row
 *   worth 2.5: a_part_counts_by_e_to_the_L
 *   worth 2: large_L_do_not_overflow
 *   merge_splits: O[] L[O.rows] o[O.cols] => o
 */
#include "merge_splits.h"

#include <math.h>

#include "common/judge/reference.h"
#include "common/testing/assert_close.h"
#include "common/testing/inputs.h"
#include "common/testing/rows.h"
#include "common/testing/variant.h"

enum { MOST = 40, KEYS = 200, DV = 3 };

/* O has one column. */
typedef struct {
    const char *test, *O, *L;
    double o_of_all, L_of_all;
    const char *why;
} entry;

static void check(const void *row)
{
    const entry *e = row;
    size_t n;
    float *O = numbers(e->O, &n), *L = numbers(e->L, &n), o = NAN, got_L;
    float shift = variant_shift();
    float factor = variant_factor();
    double want_o = e->o_of_all * (double)factor;
    double want_L = e->L_of_all + (double)shift, tolerance;

    for (size_t k = 0; k < n; k++) {
        O[k] *= factor;
        L[k] += shift;
    }
    /* The weights may be e^{L_k - L} with L rounded to fp32. */
    tolerance = 1e-5 + 0x1p-23 * fabs(want_L) * fabs(want_o);
    keep_input("L", L, n);
    got_L = merge_splits(&o, matrix_of(O, n, 1), L);
    assert_inputs_kept();
    if (is_close_or_nan((double)o, want_o, isinf(want_L) ? 1e-5 : tolerance) &&
        is_close_or_nan((double)got_L, want_L, 1e-6 + 2e-7 * fabs(want_L)))
        return;
    print_error(
        "%s\n  want o = %.6g and L = %.7g, got o = %.6g%s and L = %.7g%s of\n",
        e->why, want_o, want_L, (double)o, difference(want_o, (double)o).text,
        (double)got_L, difference(want_L, (double)got_L).text);
    for (size_t k = 0; k < n; k++)
        print_error("  part %zu: o = %g, L = %g\n", k, (double)O[k],
                    (double)L[k]);
    fail();
}

/* Computes a worker's part in float64. Returns L. */
static float part(float *o, const float *s, float V[][DV], size_t j0, size_t j1)
{
    double p[KEYS], L;

    reference_softmax(s + j0, p, j1 - j0, &L);
    for (size_t c = 0; c < DV; c++) {
        double sum = 0;

        for (size_t j = j0; j < j1; j++)
            sum += p[j - j0] * (double)V[j][c];
        o[c] = (float)sum;
    }
    return (float)L;
}

TEST(any_split_gives_the_whole_row)
{
    random_source source = variant_seed(49);
    float s[KEYS], V[KEYS][DV], O[MOST][DV], L[MOST], want[DV], o[DV], want_L;

    random_fill(&source, s, KEYS, 4);
    random_fill(&source, V[0], KEYS * DV, 1);
    want_L = part(want, s, V, 0, KEYS);
    for (size_t n = 1; n <= MOST; n += 3) {
        size_t size = tiles(KEYS, n), parts = tiles(KEYS, size);

        for (size_t k = 0; k < parts; k++) {
            size_t at = (k + n) % parts; /* as in a ring of ranks */

            L[at] = part(O[at], s, V, k * size, min_size(KEYS, (k + 1) * size));
        }
        assert_close(merge_splits(o, matrix_of(O[0], parts, DV), L), want_L,
                     1e-5);
        for (size_t c = 0; c < DV; c++)
            assert_close(o[c], want[c], 1e-5);
    }
}

int main(void)
{
    const double nan = (double)NAN;
    const entry entries[] = {
        {"one_part_is_the_row", "5", "1.5", 5, 1.5,
         "one part: o is its O, L its L"},
        {"equal_parts_give_the_mean", "2 6", "1 1", 4, 1 + log(2),
         "parts of the same L have the same weight: o is their mean"},
        {"a_part_counts_by_e_to_the_L", "2 6", "1.0986123 0", 3, log(4),
         "a part that is larger by ln 3 in L has three times the weight"},
        {"large_L_do_not_overflow", "2 6", "10000 10000", 4, 10000 + log(2),
         "e^10000 overflows: subtract the largest L first"},
        {SAME_TEST, "2 6", "-10000 -10000", 4, -10000 + log(2),
         "e^-10000 underflows: subtract the largest L first"},
        {"an_empty_part_adds_nothing", "5 0", "1 -inf", 5, 1,
         "a part without visible keys adds nothing"},
        {SAME_TEST, "nan 5", "-inf 1", 5, 1,
         "the O of a part without keys may be NaN, and 0 NaN is NaN"},
        {"where_all_are_empty_so_is_the_row", "0 0", "-inf -inf", 0, -HUGE_VAL,
         "no part has visible keys: o is 0, but -inf - -inf is NaN"},
        {SAME_TEST, "", "", 0, -HUGE_VAL, "there are no parts"},
        {"a_nan_is_not_lost", "1 2", "1 nan", nan, nan,
         "a NaN in an L makes o and L NaN"},
        {SAME_TEST, "1 2", "-inf nan", nan, nan,
         "a NaN in an L makes o and L NaN"},
        {SAME_TEST, "3", "1", 3, 1, "no argument is NaN"},
    };

    return run_table("merge_splits", check, entries);
}
