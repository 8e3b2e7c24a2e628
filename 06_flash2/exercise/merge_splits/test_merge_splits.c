/*
 * What merge_splits has to give.
 */
#include "merge_splits.h"

#include <math.h>

#include "common/exp_minus.h"
#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"
#include "common/testing/variant.h"

enum { MOST = 40, KEYS = 200, DV = 3 };

/* n parts of one column: fails unless they merge to that. */
static void check(const float *O, const float *L, size_t n, double want_o,
                  double want_L, const char *why)
{
    float o = NAN, got_L;
    float in[MOST];

    for (size_t k = 0; k < n; k++)
        in[k] = O[k];
    got_L = merge_splits(&o, matrix_of(in, n, 1), L);
    if (is_close_or_nan((double)o, want_o, 1e-5) &&
        is_close_or_nan((double)got_L, want_L, 1e-6 + 2e-7 * fabs(want_L)))
        return;
    print_error("%s\n  want o = %.6g and L = %.7g, got o = %.6g and L = %.7g "
                "of\n",
                why, want_o, want_L, (double)o, (double)got_L);
    for (size_t k = 0; k < n; k++)
        print_error("  part %zu: o = %g, L = %g\n", k, (double)O[k],
                    (double)L[k]);
    fail();
}

static void one_part_is_the_row(void **state)
{
    check((float[]){5}, (float[]){1.5f}, 1, 5, 1.5, "one part is all there is");
}

static void equal_parts_give_the_mean(void **state)
{
    check((float[]){2, 6}, (float[]){1, 1}, 2, 4, 1 + log(2),
          "parts of the same L have the same weight: o is their mean");
}

static void a_part_counts_by_e_to_the_L(void **state)
{
    const float ln_3 = logf(3);

    check((float[]){2, 6}, (float[]){ln_3, 0}, 2, 3, log(4),
          "a part that is larger by ln 3 in L has three times the weight");
}

static void large_L_do_not_overflow(void **state)
{
    check((float[]){2, 6}, (float[]){10000, 10000}, 2, 4, 10000 + log(2),
          "e^10000 overflows: the largest L comes out of all first");
    check((float[]){2, 6}, (float[]){-10000, -10000}, 2, 4, -10000 + log(2),
          "e^-10000 underflows: the largest L comes out of all first");
}

static void an_empty_part_adds_nothing(void **state)
{
    check((float[]){5, 0}, (float[]){1, -INFINITY}, 2, 5, 1,
          "a part that saw no key adds nothing");
    check((float[]){NAN, 5}, (float[]){-INFINITY, 1}, 2, 5, 1,
          "what a part without keys left in O may be NaN, and 0 NaN is NaN");
}

static void where_all_are_empty_so_is_the_row(void **state)
{
    check((float[]){0, 0}, (float[]){-INFINITY, -INFINITY}, 2, 0, -HUGE_VAL,
          "no part saw a key: -inf - -inf is NaN, and o is 0");
    check((float[]){0}, (float[]){0}, 0, 0, -HUGE_VAL, "there are no parts");
}

static void a_nan_is_not_lost(void **state)
{
    const double nan = (double)NAN;

    check((float[]){1, 2}, (float[]){1, NAN}, 2, nan, nan,
          "a NaN in an L has to be seen in o and L");
    check((float[]){1, 2}, (float[]){-INFINITY, NAN}, 2, nan, nan,
          "a NaN in an L has to be seen in o and L");
    check((float[]){3}, (float[]){1}, 1, 3, 1, "a NaN where there is none");
}

/* One worker's part: keys j0 to j1, in float64. */
static float part(float *o, const float *s, float V[][DV], size_t j0, size_t j1)
{
    double m = -HUGE_VAL, l = 0, sum[DV] = {0};

    for (size_t j = j0; j < j1; j++)
        m = fmax(m, (double)s[j]);
    for (size_t j = j0; j < j1; j++) {
        l += exp((double)s[j] - m);
        for (size_t c = 0; c < DV; c++)
            sum[c] += exp((double)s[j] - m) * (double)V[j][c];
    }
    for (size_t c = 0; c < DV; c++)
        o[c] = (float)(sum[c] / l);
    return (float)(m + log(l));
}

static void any_split_gives_the_whole_row(void **state)
{
    random_source source = variant_seed(49);
    float s[KEYS], V[KEYS][DV], O[MOST][DV], L[MOST], want[DV], o[DV], want_L;

    random_fill(&source, s, KEYS, 4);
    random_fill(&source, V[0], KEYS * DV, 1);
    want_L = part(want, s, V, 0, KEYS);
    for (size_t n = 1; n <= MOST; n += 3) {
        size_t size = tiles(KEYS, n), parts = tiles(KEYS, size);

        for (size_t k = 0; k < parts; k++)
            L[k] = part(O[k], s, V, k * size, min_size(KEYS, (k + 1) * size));
        assert_close(merge_splits(o, matrix_of(O[0], parts, DV), L), want_L,
                     1e-5);
        for (size_t c = 0; c < DV; c++)
            assert_close(o[c], want[c], 1e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_part_is_the_row),
        cmocka_unit_test(equal_parts_give_the_mean),
        cmocka_unit_test(a_part_counts_by_e_to_the_L),
        cmocka_unit_test(large_L_do_not_overflow),
        cmocka_unit_test(an_empty_part_adds_nothing),
        cmocka_unit_test(where_all_are_empty_so_is_the_row),
        cmocka_unit_test(a_nan_is_not_lost),
        cmocka_unit_test(any_split_gives_the_whole_row),
    };

    return run_tests("merge_splits", tests);
}
