/*
 * What finish_row and weight_again have to give.
 */
#include "emit_logsumexp.h"

#include <math.h>

#include "common/testing/assert_close.h"
#include "common/exp_minus.h"
#include "common/matrix.h"
#include "common/testing/variant.h"
#include "common/testing/run_tests.h"

#define N 50

/* Fails unless got is want, nearly; says what was wrong in words. */
static void check(float got, double want, double tolerance, const char *reason,
                  float m, float l)
{
    if (is_close_or_nan((double)got, want, tolerance))
        return;
    print_error("%s\n  m = %.7g, l = %.7g: want %.7g, got %.7g\n", reason,
                (double)m, (double)l, want, (double)got);
    fail();
}

/* L of a row with that m and l. */
static void check_L(float m, float l, double want, const char *reason)
{
    float o[] = {0};

    check(finish_row(o, 1, m, l), want, 1e-6 * (1 + fabs(want)), reason, m, l);
}

static void check_o(float m, float l, float o, double want, const char *reason)
{
    float row_o[] = {o, o, o};

    finish_row(row_o, 3, m, l);
    for (size_t c = 0; c < 3; c++)
        check(row_o[c], want, 1e-6 * fabs(want), reason, m, l);
}

static void check_weight(float s, float L, double want, const char *reason)
{
    float got = weight_again(s, L);

    if (is_close_or_nan((double)got, want, 1e-5 * want))
        return;
    print_error("%s\n  s = %.7g, L = %.7g: want %.7g, got %.7g\n", reason,
                (double)s, (double)L, want, (double)got);
    fail();
}

/* --- L -------------------------------------------------------------------- */

static void of_a_single_score_L_is_the_score(void **state)
{
    check_L(1.25f, 1, 1.25, "L is not ln l: m was taken out of every e^s");
}

static void of_equal_scores_L_is_ln_n_more(void **state)
{
    float o[] = {0};
    const char *why = finish_row(o, 1, 0, 8) == 0
                          ? "L is not m: ln l belongs to it"
                          : "L is m + ln l, and ln a natural logarithm";

    check_L(0, 8, log(8), why);
    check_L(0.5f, 4.95344f, 2.10008, why);
}

static void L_is_finite_where_e_to_the_m_is_not(void **state)
{
    check_L(89, 2, 89 + log(2), "e^m overflows, and L need not");
    check_L(10000, 3, 10000 + log(3), "e^m overflows, and L need not");
    check_L(-10000, 3, -10000 + log(3), "e^m underflows, and L need not");
}

/* --- o -------------------------------------------------------------------- */

static void o_is_divided_by_l(void **state)
{
    check_o(0, 4, 6, 1.5, "o is still the sum: divide it by l");
    check_o(77, 4, 6, 1.5, "o is still the sum: divide it by l");
}

static void a_row_with_nothing_to_attend_to_is_zero(void **state)
{
    check_o(-INFINITY, 0, 0, 0,
            "a row with nothing to attend to: 0 / 0 is NaN");
    check_L(-INFINITY, 0, -HUGE_VAL,
            "a row with nothing to attend to: its L is ln 0 = -inf");
}

static void a_nan_is_seen(void **state)
{
    check_o(1, NAN, 2, (double)NAN, "a NaN in l is not an empty row");
    check_L(1, NAN, (double)NAN, "a NaN in l is not an empty row");
    check_o(-INFINITY, NAN, 0, (double)NAN, "a NaN in l is not an empty row");
    check_L(1, 1, 1, "a NaN where there is none");
}

/* --- The weights, again --------------------------------------------------- */

static void a_weight_needs_nothing_but_L(void **state)
{
    check_weight(0, (float)log(8), 0.125, "of 8 equal scores each weighs 1/8");
    check_weight(1, (float)(1 + log(2)), 0.5,
                 "of 2 equal scores each weighs "
                 "1/2");
}

static void big_scores_have_weights_too(void **state)
{
    const char *why = "e^s and e^L overflow, and their quotient need not";

    check_weight(10000, 10000, 1, why);
    check_weight(99, 100, exp(-1), why);
    check_weight(-200, -199, exp(-1), why);
}

static void a_masked_score_weighs_nothing(void **state)
{
    check_weight(-INFINITY, 3, 0, "a masked score weighs nothing");
    check_weight(-INFINITY, -INFINITY, 0,
                 "a masked score in an empty row: -inf - -inf is NaN");
    check_weight(1, NAN, (double)NAN, "a NaN in L has to be seen");
}

/* --- Both ----------------------------------------------------------------- */

/* Scores about a centre, through m and l to L, and from L to the weights. */
static void check_round_trip(double centre)
{
    random_source source = variant_seed(10);
    float s[N], o[1] = {0}, m, l = 0, L;
    double sum = 0, tolerance = 1e-6 + 0x1p-22 * fabs(centre);

    for (size_t j = 0; j < N; j++)
        s[j] = (float)(centre + 4 * random_normal(&source));
    m = max_of(s, N);
    for (size_t j = 0; j < N; j++)
        l += exp_minus(s[j], m);
    L = finish_row(o, 1, m, l);
    for (size_t j = 0; j < N; j++) {
        double want = exp((double)s[j] - (double)m) / (double)l;

        check(weight_again(s[j], L), want, tolerance,
              "weight_again is not e^{s - m} / l", m, l);
        sum += (double)weight_again(s[j], L);
    }
    check((float)sum, 1, N * tolerance, "weights made again do not sum to 1", m,
          l);
}

static void weights_made_again_are_those_of_the_forward_pass(void **state)
{
    check_round_trip(0);
    check_round_trip(-100);
    check_round_trip(1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_single_score_L_is_the_score),
        cmocka_unit_test(of_equal_scores_L_is_ln_n_more),
        cmocka_unit_test(L_is_finite_where_e_to_the_m_is_not),
        cmocka_unit_test(o_is_divided_by_l),
        cmocka_unit_test(a_row_with_nothing_to_attend_to_is_zero),
        cmocka_unit_test(a_nan_is_seen),
        cmocka_unit_test(a_weight_needs_nothing_but_L),
        cmocka_unit_test(big_scores_have_weights_too),
        cmocka_unit_test(a_masked_score_weighs_nothing),
        cmocka_unit_test(weights_made_again_are_those_of_the_forward_pass),
    };

    return run_tests("emit_logsumexp", tests);
}
