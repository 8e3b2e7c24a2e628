/*
 * For the grader:
 *   merge_in: dv all[dv + 2] part[dv + 2] => all
 */
#include "merge_ranks.h"

#include <math.h>
#include <string.h>

#include "common/matrix.h"
#include "common/testing/assert_close.h"
#include "common/testing/rows.h"
#include "common/testing/variant.h"

enum { DV = 2, ROW = DV + 2, KEYS = 60, MOST = 9 };

static const char *const names[ROW] = {"m", "l", "o_0", "o_1"};
static const float nothing[ROW] = {-INFINITY, 0, 0, 0};

/* all and part are text. */
typedef struct {
    const char *test, *all, *part;
    double m, l, o_0, o_1;
    const char *why;
} entry;

/* If l is NaN, o is not compared, because a later division makes it NaN. */
static void check(const void *row)
{
    const entry *e = row;
    double want[ROW] = {e->m, e->l, e->o_0, e->o_1};
    size_t n;
    float got[ROW], *all = numbers(e->all, &n), *part = numbers(e->part, &n);
    float shift = variant_shift();
    float factor = variant_factor();

    for (size_t c = 0; c < ROW; c++) {
        all[c] = c == 0 ? all[c] + shift : all[c] * factor;
        part[c] = c == 0 ? part[c] + shift : part[c] * factor;
        want[c] = c == 0 ? want[c] + (double)shift : want[c] * (double)factor;
    }
    memcpy(got, all, sizeof got);
    merge_in(got, part, DV);
    for (size_t c = 0; c < (isnan(want[1]) ? 2 : ROW); c++) {
        if (is_close_or_nan((double)got[c], want[c],
                            2e-6 * (1 + fabs(want[c]))))
            continue;
        print_error("%s\n  want %s = %.7g, got %.7g, of\n", e->why, names[c],
                    want[c], (double)got[c]);
        print_error("  all  (%g, %g, %g, %g)\n  part (%g, %g, %g, %g)\n",
                    (double)all[0], (double)all[1], (double)all[2],
                    (double)all[3], (double)part[0], (double)part[1],
                    (double)part[2], (double)part[3]);
        fail();
    }
}

typedef struct {
    float s[KEYS], V[KEYS][DV];
} query;

static query some_query(void)
{
    random_source source = variant_seed(57);
    query q;

    random_fill(&source, q.s, KEYS, 4);
    random_fill(&source, q.V[0], KEYS * DV, 1);
    for (size_t j = 20; j < 32; j++)
        q.s[j] = -INFINITY; /* enough for a rank with only masked keys */
    return q;
}

static void row_of_keys(double *all, const query *q, size_t j0, size_t j1)
{
    all[0] = -HUGE_VAL;
    all[1] = all[2] = all[3] = 0;
    for (size_t j = j0; j < j1; j++)
        all[0] = fmax(all[0], (double)q->s[j]);
    for (size_t j = j0; j < j1; j++) {
        double p = isinf(q->s[j]) ? 0 : exp((double)q->s[j] - all[0]);

        all[1] += p;
        for (size_t c = 0; c < DV; c++)
            all[2 + c] += p * (double)q->V[j][c];
    }
}

/* Rank r merges its own keys first, then those of r - 1, r - 2 .. */
TEST(all_ranks_of_a_ring_agree)
{
    const query q = some_query();
    double want[ROW], of_rank[ROW];

    row_of_keys(want, &q, 0, KEYS);
    for (size_t P = 1; P <= MOST; P++)
        for (size_t r = 0; r < P; r++) {
            float all[ROW], part[ROW];

            memcpy(all, nothing, sizeof all);
            for (size_t t = 0; t < P; t++) {
                size_t from = (r + P - t) % P;

                row_of_keys(of_rank, &q, from * KEYS / P,
                            (from + 1) * KEYS / P);
                for (size_t c = 0; c < ROW; c++)
                    part[c] = (float)of_rank[c];
                merge_in(all, part, DV);
            }
            for (size_t c = 0; c < ROW; c++)
                if (!is_close((double)all[c], want[c], 1e-5 * (1 + want[1])))
                    fail_msg("in a ring of %zu ranks, on rank %zu\n  want "
                             "%s = %.7g, got %.7g",
                             P, r, names[c], want[c], (double)all[c]);
        }
}

int main(void)
{
    /* a: the factor of a row whose m is smaller by 1, as in docs/ring.md. */
    const double a = exp(-1), nan = (double)NAN;
    const char *safe = "e^m overflows or vanishes: only differences of m are "
                       "safe",
               *in_l = "a rank's scores were NaN: its m is -inf, and the NaN "
                       "in l must stay";
    const entry entries[] = {
        {"rows_of_the_same_maximum_just_add", "1 2 3 4", "1 4 5 -6", 1, 6, 8,
         -2,
         "m is equal: only add l and o, and divide after the last rank's row "
         "is merged"},
        {"the_received_row_is_rescaled", "3 1.25 21 4", "2 1.5 35 8", 3,
         1.25 + a * 1.5, 21 + a * 35, 4 + a * 8,
         "part is in units of e^2, and all is in units of e^3: rescale first"},
        {"the_old_row_is_rescaled", "2 1.5 0 0", "3 1.25 0 0", 3,
         1.25 + a * 1.5, 0, 0,
         "m of part is larger: multiply the old l by e^{old m - new m} before "
         "the old m is overwritten"},
        {SAME_TEST, "2 1.5 35 8", "3 1.25 21 4", 3, 1.25 + a * 1.5, 21 + a * 35,
         4 + a * 8,
         "m of part is larger: rescale o like l, because both are sums of the "
         "same e^{s - m}"},
        {"large_maxima_do_not_overflow", "10000 1 2 3", "10001 1 4 5", 10001,
         1 + a, 4 + a * 2, 5 + a * 3, safe},
        {SAME_TEST, "-10000 1 2 3", "-10001 1 4 5", -10000, 1 + a, 2 + a * 4,
         3 + a * 5, safe},
        {"a_rank_without_keys_changes_nothing", "-inf 0 0 0", "1 2 3 4", 1, 2,
         3, 4, "all is empty: the result is part"},
        {SAME_TEST, "1 2 3 4", "-inf 0 0 0", 1, 2, 3, 4,
         "part is the row of a rank without keys: all does not change"},
        {SAME_TEST, "-inf 0 0 0", "-inf 0 0 0", -HUGE_VAL, 0, 0, 0,
         "no rank has a key for this query: -inf - -inf is NaN"},
        {"a_nan_is_not_lost", "1 2 3 4", "1 2 nan 4", 1, 4, nan, 8,
         "a NaN in a column of part must be in this column of all only"},
        {SAME_TEST, "1 2 3 4", "-inf nan nan nan", 1, nan, nan, nan, in_l},
        {SAME_TEST, "-inf nan nan nan", "1 2 3 4", 1, nan, nan, nan, in_l},
    };

    return run_table("merge_ranks", check, entries);
}
