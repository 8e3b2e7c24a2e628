/*
 * For the grader:
 *   no points: a_masked_tile_does_not_change_the_row
 *   visit_tile: n V[] s[n] r->m r->l r->o[V.cols] => r->m r->l r->o
 */
#include "visit_tile.h"

#include <math.h>
#include <string.h>

#include "common/judge/reference.h"
#include "common/testing/assert_close.h"
#include "common/testing/variant.h"
#include "common/testing/run_tests.h"

#define LONGEST 60
#define DV      2

static query_row new_row(float o[DV])
{
    memset(o, 0, DV * sizeof *o);
    return (query_row){-INFINITY, 0, o};
}

static void visit_all(query_row *r, const float *scores, const float *values,
                      size_t n, size_t Bc)
{
    for (size_t j0 = 0; j0 < n; j0 += Bc) {
        size_t bc = min_size(Bc, n - j0);
        float s[LONGEST], v[LONGEST * DV];

        memcpy(s, scores + j0, bc * sizeof *s);
        memcpy(v, values + j0 * DV, bc * DV * sizeof *v);
        visit_tile(r, s, bc, matrix_of(v, bc, DV));
    }
}

static void attend(const float *s, const float *v, size_t n, double o[DV])
{
    double p[LONGEST];

    reference_softmax(s, p, n, NULL);
    for (size_t c = 0; c < DV; c++) {
        o[c] = 0;
        for (size_t j = 0; j < n; j++)
            o[c] += p[j] == 0 ? 0 : p[j] * (double)v[j * DV + c];
    }
}

static void check(const float *s, const float *values, size_t n, size_t Bc,
                  const char *reason)
{
    float o[DV], v[LONGEST * DV];
    double want[DV];
    query_row r = new_row(o);

    for (size_t e = 0; e < n * DV; e++)
        v[e] = values[e] * variant_factor();
    visit_all(&r, s, v, n, Bc);
    attend(s, v, n, want);
    for (size_t c = 0; c < DV; c++) {
        if (is_close_or_nan((double)o[c], want[c], 1e-5))
            continue;
        if (r.l == 0)
            reason = max_of(s, n) == -INFINITY
                         ? "no key is attended: l is 0, and 0 / 0 is NaN"
                         : "l is still 0: the sum of the weights was not added";
        print_error(
            "%s\n  %s in tiles of %zu: want o[%zu] = %.7g, got %.7g%s\n",
            reason, quantity(n, "key", "keys").text, Bc, c, want[c],
            (double)o[c], difference(want[c], (double)o[c]).text);
        for (size_t j = 0; j < n && j < 6; j++)
            print_error("  score %g, value %g\n", (double)s[j],
                        (double)v[j * DV + c]);
        fail();
    }
}

/* Every seventh score is masked. The other scores are peaked and rise. */
static void some_row(float s[LONGEST], float v[LONGEST * DV])
{
    random_source source = variant_seed(9);

    random_fill(&source, s, LONGEST, 3);
    random_fill(&source, v, LONGEST * DV, 1);
    for (size_t j = 0; j < LONGEST; j++)
        s[j] = j % 7 == 0 ? -INFINITY : s[j] + (float)j / 4;
}

TEST(the_first_tile_alone_gives_its_attention)
{
    const float s[] = {1, 1, 1, 1}, v[] = {1, 0, 2, 0, 3, 0, 6, 4};

    check(s, v, 4, 4,
          "the first tile: o is the mean of its values, not their sum");
}

/* If o is rescaled at all, o after scores of 0 and 200 is the value of the
 * second key. Then the message is about the division by the old l. */
TEST(with_equal_scores_o_is_the_mean)
{
    const float s[] = {0, 0, 0}, v[] = {1, 2, 3, 4, 8, 9};
    float o[DV];
    query_row r = new_row(o);
    const char *why;

    visit_all(&r, (const float[]){0, 200}, v, 2, 1);
    why = o[0] == v[DV] ? "o was divided by the old l: undo that first"
                        : "o is not rescaled: with equal scores it is the mean";
    check(s, v, 2, 1, why);
    check(s, v, 3, 2, why); /* here l is 2 before the second visit */
}

/* The weight of score 0 is less than half, so o[0] is closer to 5 than to 1. */
TEST(the_weight_of_the_old_o_does_not_grow)
{
    const float s[] = {0, 2},
                v[] = {variant_factor(), 1, 5 * variant_factor(), 7};
    float o[DV];
    query_row r = new_row(o);

    visit_all(&r, s, v, 2, 1);
    if (!(o[0] >= 2.999f * variant_factor() &&
          o[0] <= 5.001f * variant_factor()))
        fail_msg("%s\n  scores 0 and 2, values %g and %g: want o[0] = %.4g, "
                 "got %.4g",
                 r.l > 2
                     ? "the factor is inverted: e^{old m - new m} is at most 1"
                     : "o is not between the two values",
                 (double)v[0], (double)v[2], 4.523 * (double)variant_factor(),
                 (double)o[0]);
}

TEST(a_larger_maximum_shrinks_the_past)
{
    const float s[] = {0, 2}, v[] = {1, 1, 5, 7};

    check(s, v, 2, 1, "the maximum grew: the weight of the old o must shrink");
}

TEST(the_same_maximum_keeps_the_past)
{
    const float s[] = {3, 0}, v[] = {1, 1, 5, 7};

    check(s, v, 2, 1, "the maximum did not grow: the old o is not rescaled");
}

TEST(a_masked_first_tile_leaves_no_trace)
{
    const float s[] = {-INFINITY, -INFINITY, 1}, v[] = {1, 2, 3, 4, 5, 6};

    for (size_t n = 1; n <= 3; n++)
        check(s, v, n, 1,
              "all keys of the first tile are masked: -inf - -inf is NaN");
}

static void must_keep(size_t n, const char *name, float was, float is)
{
    if (!is_close((double)is, (double)was, 1e-6 * fabs((double)was)))
        fail_msg("after %s a masked tile changed %s from %.9g to %.9g",
                 quantity(n, "key", "keys").text, name, (double)was,
                 (double)is);
}

/* o times l times 1 / l may be rounded three times. */
TEST(a_masked_tile_does_not_change_the_row)
{
    float s[LONGEST], v[LONGEST * DV], o[DV];
    const float masked[] = {-INFINITY, -INFINITY, -INFINITY};

    some_row(s, v);
    for (size_t n = 1; n <= LONGEST; n++) {
        query_row r = new_row(o), old;
        float before[DV];

        visit_all(&r, s, v, n, 5);
        old = r;
        memcpy(before, o, sizeof o);
        visit_all(&r, masked, v, 3, 3);
        must_keep(n, "l", old.l, r.l);
        must_keep(n, "o[0]", before[0], o[0]);
        must_keep(n, "o[1]", before[1], o[1]);
        if (r.m != old.m)
            fail_msg("after %s a masked tile changed m from %g to %g",
                     quantity(n, "key", "keys").text, (double)old.m,
                     (double)r.m);
    }
}

TEST(a_nan_is_not_lost)
{
    const float s[] = {0, NAN, 1}, v[] = {1, 2, 3, 4, 5, 6};

    for (size_t Bc = 1; Bc <= 3; Bc++)
        check(s, v, 3, Bc, "a NaN among the scores makes o NaN");
    check(s, v, 1, 1, "o is NaN, but no score is NaN");
}

TEST(tiles_of_any_size_give_the_same_o)
{
    const size_t sizes[] = {1, 2, 3, 5, 16, LONGEST};
    float s[LONGEST], v[LONGEST * DV];

    some_row(s, v);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        check(s, v, LONGEST, sizes[k], "60 peaked scores, some of them masked");
}

TEST(after_every_visit_o_is_exact_for_the_keys_so_far)
{
    float s[LONGEST], v[LONGEST * DV];

    some_row(s, v);
    for (size_t n = 1; n <= LONGEST; n++)
        check(s, v, n, 4, "o must be right after every visit");
}

TEST(m_and_l_are_stored_for_the_next_visit)
{
    const float shift = variant_shift();
    const float s[] = {shift, 2 + shift, 1 + shift}, v[DV * 3] = {0};
    float o[DV];
    query_row r = new_row(o);

    visit_all(&r, s, v, 3, 1);
    assert_close(r.m, 2 + shift, 0);
    assert_close(r.l, exp(-2) + 1 + exp(-1), 1e-6);
}
