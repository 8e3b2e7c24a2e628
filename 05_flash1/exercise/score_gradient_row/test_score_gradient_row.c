/*
 * For the grader:
 *   no points: equal_values_have_no_gradient
 *   score_gradient_row: r->scale r->V[] r->p[r->V.rows] r->t[r->V.rows]
 *       r->o[r->V.cols] r->dO[r->V.cols] ds[r->V.rows] => ds
 */
#include "score_gradient_row.h"

#include <math.h>

#include "common/testing/inputs.h"
#include "common/testing/variant.h"
#include "common/testing/assert_close.h"
#include "common/testing/rows.h"

enum { MOST = 40, DV = 3 };

static void check(const attention_row *r, const double *want,
                  const char *reason)
{
    float ds[MOST];

    for (size_t j = 0; j < r->V.rows; j++)
        ds[j] = NAN;
    keep_input("r->p", r->p, r->V.rows);
    keep_input("r->t", r->t, r->V.rows);
    keep_input("r->o", r->o, r->V.cols);
    keep_input("r->dO", r->dO, r->V.cols);
    score_gradient_row(ds, r);
    assert_inputs_kept();
    for (size_t j = 0; j < r->V.rows; j++)
        if (!is_close_or_nan((double)ds[j], want[j], 1e-5)) {
            print_error("%s\n  key %zu of %zu, weight %g: want %.7g, got "
                        "%.7g%s%s\n",
                        reason, j, r->V.rows, (double)r->p[j], want[j],
                        (double)ds[j], difference(want[j], (double)ds[j]).text,
                        isnan(ds[j]) ? " (ds was NaN before the call)" : "");
            fail();
        }
}

/* An empty t means no softcap. V has as many columns as o. */
typedef struct {
    const char *test, *p, *t, *V, *o, *dO;
    float scale;
    const char *ds, *why;
} entry;

static void check_entry(const void *row)
{
    const entry *e = row;
    double want[MOST];
    size_t n, dv, softcaps, values;
    float *p = numbers(e->p, &n), *t = numbers(e->t, &softcaps);
    float *V = numbers(e->V, &values), *o = numbers(e->o, &dv);
    float *dO = numbers(e->dO, &dv), *ds = numbers(e->ds, &n);
    attention_row r = {
        p, softcaps > 0 ? t : NULL, matrix_of(V, n, dv), o, dO, e->scale};

    float factor = variant_factor();

    for (size_t c = 0; c < dv; c++)
        dO[c] *= factor;
    for (size_t j = 0; j < n; j++)
        want[j] = (double)(ds[j] * factor);
    check(&r, want, e->why);
}

/* Returns the loss dO . o, with eps added to q . k of key `raised`. */
static double loss(const double *qk, const attention_row *r, double softcap,
                   size_t raised, double eps)
{
    double above = 0, below = 0;

    for (size_t j = 0; j < r->V.rows; j++) {
        double z = (double)r->scale * (qk[j] + (j == raised ? eps : 0)), w;

        w = exp(softcap > 0 ? softcap * tanh(z / softcap) : z);
        below += w;
        for (size_t c = 0; c < r->V.cols; c++)
            above += w * (double)r->dO[c] * (double)row(r->V, j)[c];
    }
    return above / below;
}

static void check_differences(double softcap)
{
    random_source source = variant_seed(4);
    float p[MOST], t[MOST], V[MOST * DV], dO[DV], o[DV] = {0};
    attention_row r = {
        p, softcap > 0 ? t : NULL, matrix_of(V, MOST, DV), o, dO, 0.3f};
    double qk[MOST], want[MOST], l = 0;

    random_fill(&source, V, MOST * DV, 1);
    random_fill(&source, dO, DV, 1);
    for (size_t j = 0; j < MOST; j++) {
        double z = (double)r.scale * (qk[j] = 5 * random_normal(&source));

        t[j] = softcap > 0 ? (float)tanh(z / softcap) : 0;
        p[j] = (float)exp(softcap > 0 ? softcap * tanh(z / softcap) : z);
        l += (double)p[j];
    }
    for (size_t j = 0; j < MOST; j++) {
        p[j] = (float)((double)p[j] / l);
        for (size_t c = 0; c < DV; c++)
            o[c] += p[j] * V[j * DV + c];
        want[j] =
            (loss(qk, &r, softcap, j, 1e-4) - loss(qk, &r, softcap, j, -1e-4)) /
            2e-4;
    }
    check(&r, want, "a row of 40 keys: ds must be the central difference");
}

TEST(ds_is_the_derivative_of_the_loss)
{
    check_differences(0);
    check_differences(2);
}

int main(void)
{
    const entry entries[] = {
        {"equal_values_have_no_gradient", "0.25 0.25 0.5", "", "5 5 5", "5",
         "1", 1, "0 0 0", "all values are equal: no score changes the output"},
        {"the_better_key_has_a_positive_gradient", "0.5 0.5", "", "0 1", "0.5",
         "1", 1, "-0.25 0.25",
         "a higher score of the better key raises o: its ds is positive"},
        {"the_mean_uses_the_weights", "0.25 0.25 0.5", "", "5 5 9", "7", "1", 1,
         "-0.5 -0.5 1",
         "one value is larger: dO . V_j is 5, 5, 9, and the mean with the "
         "weights p is 7"},
        {"dP_and_D_use_all_columns_of_dO", "0.5 0.5", "", "7 7 0  7 7 1",
         "7 7 0.5", "0 0 1", 1, "-0.25 0.25",
         "dO . V_j and dO . o are sums over all dv columns"},
        {"ds_is_multiplied_by_the_scale", "0.5 0.5", "", "0 1", "0.5", "1",
         0.125f, "-0.03125 0.03125",
         "z = scale q . k: multiply by scale, exactly once"},
        {"the_slope_of_the_softcap_is_squared", "0.5 0.5", "0.5 -1", "0 1",
         "0.5", "1", 1, "-0.1875 0", "the slope of c tanh(z / c) is 1 - t^2"},
        {"a_key_that_is_not_attended_gives_0", "0.5 0 0.5 0", "", "0 nan 1 inf",
         "0.5", "1", 1, "-0.25 0 0.25 0", "a weight of 0 gives 0, for any V"},
        {"a_nan_of_an_attended_key_stays", "0.5 0.5", "", "0 1", "0.5", "1", 1,
         "-0.25 0.25", "ds is NaN, but no input is NaN"},
        {SAME_TEST, "0.5 0.5", "", "0 nan", "nan", "1", 1, "nan nan",
         "a NaN of an attended key stays: test the weight, not V"},
    };

    return run_table("score_gradient_row", check_entry, entries);
}
