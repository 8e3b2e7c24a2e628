/*
 * For the grader:
 *   no points: a_row_with_nothing_to_attend_to_is_zero
 *   no points: a_masked_score_weighs_nothing
 *   finish_row: m l dv o[dv] => o
 *   weight_again: s L
 */
#include "emit_logsumexp.h"

#include <math.h>

#include "common/testing/assert_close.h"
#include "common/scores.h"
#include "common/testing/variant.h"
#include "common/testing/rows.h"

#define N 50

/* A failure also prints a and b, whose names are the two letters of `of`. */
static void check(float got, double want, double tolerance, const char *reason,
                  const char of[2], float a, float b)
{
    if (is_close_or_nan((double)got, want, tolerance))
        return;
    print_error("%s\n  %c = %.7g, %c = %.7g: want %.7g, got %.7g%s\n", reason,
                of[0], (double)a, of[1], (double)b, want, (double)got,
                difference(want, (double)got).text);
    fail();
}

/* If why is NULL, the hint is missing_part(). */
typedef struct {
    const char *test;
    enum { L_OF_M_L, O_OF_M_L_O, WEIGHT_OF_S_L } what;
    float m_or_s, l_or_L, o;
    double want;
    const char *why;
} entry;

static const char *missing_part(void)
{
    float o[] = {0};

    return finish_row(o, 1, 0, 8) == 0
               ? "L is not m: add ln l"
               : "L is m + ln l with the natural logarithm";
}

static void check_entry(const void *row)
{
    const entry *e = row;
    const char *why = e->why ? e->why : missing_part();
    const float shift = variant_shift();
    const float factor = variant_factor();
    float a = e->m_or_s, b = e->l_or_L, o[3], L;
    double want = e->want;

    if (e->what == WEIGHT_OF_S_L) {
        b += shift;
        want *= exp(-(double)shift);
        check(weight_again(a, b), want, 1e-5 * want, why, "sL", a, b);
        return;
    }
    a += shift;
    for (size_t c = 0; c < 3; c++)
        o[c] = e->o * factor;
    L = finish_row(o, 3, a, b);
    if (e->what == L_OF_M_L) {
        want += (double)shift;
        check(L, want, 1e-6 * (1 + fabs(want)), why, "ml", a, b);
    }
    want *= (double)factor;
    for (size_t c = 0; c < 3 && e->what == O_OF_M_L_O; c++)
        check(o[c], want, 1e-6 * fabs(want), why, "ml", a, b);
}

/* Fails unless the weights that are computed from L are right and sum to 1. */
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
              "weight_again is not e^{s - m} / l", "ml", m, l);
        sum += (double)weight_again(s[j], L);
    }
    check((float)sum, 1, N * tolerance,
          "the recomputed weights do not sum to 1", "ml", m, l);
}

TEST(recomputed_weights_are_those_of_the_forward_pass)
{
    check_round_trip(0);
    check_round_trip(-100);
    check_round_trip(1000);
}

int main(void)
{
    const double nan = (double)NAN;
    const char *in_l = "a NaN in l is not an empty row",
               *divide = "o is still the sum: divide it by l",
               *finite = "e^m overflows, but L does not",
               *quotient = "e^s and e^L overflow, but their quotient does not";
    const entry entries[] = {
        {"of_a_single_score_L_is_the_score", L_OF_M_L, 1.25f, 1, 0, 1.25,
         "L is not ln l: add m, which was subtracted"},
        {"of_equal_scores_L_is_ln_n_more", L_OF_M_L, 0, 8, 0, log(8), NULL},
        {SAME_TEST, L_OF_M_L, 0.5f, 4.95344f, 0, 2.10008, NULL},
        {"L_is_finite_where_e_to_the_m_is_not", L_OF_M_L, 89, 2, 0, 89 + log(2),
         finite},
        {SAME_TEST, L_OF_M_L, 10000, 3, 0, 10000 + log(3), finite},
        {SAME_TEST, L_OF_M_L, -10000, 3, 0, -10000 + log(3),
         "e^m underflows, but L does not"},
        {"o_is_divided_by_l", O_OF_M_L_O, 0, 4, 6, 1.5, divide},
        {SAME_TEST, O_OF_M_L_O, 77, 4, 6, 1.5, divide},
        {"a_row_with_nothing_to_attend_to_is_zero", O_OF_M_L_O, -INFINITY, 0, 0,
         0, "a row with nothing to attend to: 0 / 0 is NaN"},
        {SAME_TEST, L_OF_M_L, -INFINITY, 0, 0, -HUGE_VAL,
         "a row with nothing to attend to: its L is ln 0 = -inf"},
        {"a_nan_is_seen", O_OF_M_L_O, 1, NAN, 2, nan, in_l},
        {SAME_TEST, L_OF_M_L, 1, NAN, 0, nan, in_l},
        {SAME_TEST, O_OF_M_L_O, -INFINITY, NAN, 0, nan, in_l},
        {SAME_TEST, L_OF_M_L, 1, 1, 0, 1,
         "no argument is NaN, so L is not NaN"},
        {"a_weight_needs_nothing_but_L", WEIGHT_OF_S_L, 0, 2.0794415f, 0, 0.125,
         "each of 8 equal scores has the weight 1/8"},
        {SAME_TEST, WEIGHT_OF_S_L, 1, 1.6931472f, 0, 0.5,
         "each of 2 equal scores has the weight 1/2"},
        {"big_scores_have_weights_too", WEIGHT_OF_S_L, 10000, 10000, 0, 1,
         quotient},
        {SAME_TEST, WEIGHT_OF_S_L, 99, 100, 0, exp(-1), quotient},
        {SAME_TEST, WEIGHT_OF_S_L, -200, -199, 0, exp(-1), quotient},
        {"a_masked_score_weighs_nothing", WEIGHT_OF_S_L, -INFINITY, 3, 0, 0,
         "a masked score has weight 0"},
        {SAME_TEST, WEIGHT_OF_S_L, -INFINITY, -INFINITY, 0, 0,
         "a masked score in an empty row: -inf - -inf is NaN"},
        {SAME_TEST, WEIGHT_OF_S_L, 1, NAN, 0, nan,
         "a NaN in L must not be lost"},
    };

    return run_table("emit_logsumexp", check_entry, entries);
}
