/*
 * For the grader:
 *   points: 20
 *   no points: one_key_has_no_dK
 *   visit_tile_backward: scale first q->Q[] q->O[] q->dO[] q->L[q->Q.rows]
 *       q->dQ[] k->K[] k->V[] k->dK[] k->dV[] scratch[2 * k->K.rows] =>
 *       q->dQ.data k->dK.data k->dV.data
 */
#include "visit_tile_backward.h"

#include <math.h>
#include <string.h>

#include "common/judge/reference_attention.h"
#include "common/judge/reference_gradients.h"
#include "common/testing/assert_close.h"
#include "common/testing/attention_check.h"
#include "common/testing/inputs.h"
#include "common/testing/run_tests.h"
#include "common/testing/variant.h"

enum { N = 12, MOST_D = 6 };

static attention_case make(size_t Nq, size_t Nk, size_t d, size_t dv)
{
    attention_case c = case_of(Nq, Nk, d, dv);
    random_source source = variant_seed(Nq + Nk);

    case_backward(&c);
    random_fill(&source, c.h.Q.hbm.data, Nq * d, 1);
    random_fill(&source, c.h.K.hbm.data, Nk * d, 1);
    random_fill(&source, c.h.V.hbm.data, Nk * dv, 1);
    c.h.scale = 0.5f;
    return c;
}

static matrix some_rows(matrix a, size_t first, size_t n)
{
    return block(a, first, 0, n, a.cols);
}

/* Visits all pairs of tiles. The outer loop is over keys, as in Algorithm 2.
 * Before the first visit all elements of dK and dV are `junk`. */
static void visit_all(attention_case *c, size_t Br, size_t Bc, float junk)
{
    const head *h = &c->h;
    matrix dQ = c->g.dQ.hbm, dK = c->g.dK.hbm, dV = c->g.dV.hbm;

    assert_int_equal(reference_forward(h), 0);
    fill(dQ, 0);
    fill(dK, junk);
    fill(dV, junk);
    for (size_t j0 = 0; j0 < h->Nk; j0 += Bc)
        for (size_t i0 = 0; i0 < h->Nq; i0 += Br) {
            size_t br = min_size(Br, h->Nq - i0);
            size_t bc = min_size(Bc, h->Nk - j0);
            query_tile q = {some_rows(h->Q.hbm, i0, br),
                            some_rows(h->O.hbm, i0, br),
                            some_rows(c->g.dO.hbm, i0, br), row(h->L.hbm, i0),
                            some_rows(dQ, i0, br)};
            key_tile k = {some_rows(h->K.hbm, j0, bc),
                          some_rows(h->V.hbm, j0, bc), some_rows(dK, j0, bc),
                          some_rows(dV, j0, bc)};
            array scratch = case_array(2, bc);

            keep_input("q->L", q.L, br);
            visit_tile_backward(&q, &k, h->scale, i0 == 0, scratch.hbm.data);
            assert_inputs_kept();
            free(scratch.hbm.data);
        }
}

static void compare(const char *what, matrix a, const double *want, size_t n,
                    const char *reason)
{
    const float *got = a.data;

    for (size_t e = 0; e < n; e++)
        if (!is_close((double)got[e], want[e], 1e-5)) {
            print_error("%s\n  element %zu of %s: want %.7g, got %.7g%s\n",
                        reason, e, what, want[e], (double)got[e],
                        difference(want[e], (double)got[e]).text);
            fail();
        }
}

static void check(size_t Nq, size_t Nk, size_t d, size_t dv, size_t Br,
                  size_t Bc, float junk, const char *reason)
{
    auto_case c = make(Nq, Nk, d, dv);

    visit_all(&c, Br, Bc, junk);
    c.g.h = c.h;
    assert_true(reference_gradients(&c.g, NO_SINK, c.dQ, c.dK, c.dV) >= 0);
    compare("dV", c.g.dV.hbm, c.dV, Nk * dv, reason);
    compare("dK", c.g.dK.hbm, c.dK, Nk * d, reason);
    compare("dQ", c.g.dQ.hbm, c.dQ, Nq * d, reason);
}

TEST(the_value_of_one_key_gets_all_of_dO)
{
    const double f = (double)variant_factor(), want[] = {3 * f, -f};
    auto_case c = make(1, 1, 2, 2);

    dO_of(&c, 0)[0] = 3 * variant_factor();
    dO_of(&c, 0)[1] = -variant_factor();
    visit_all(&c, 1, 1, 0);
    compare("dV", c.g.dV.hbm, want, 2,
            "one key of weight 1: its dV is the sum of dO");
}

TEST(one_key_has_no_dK)
{
    auto_case c = make(3, 1, 2, 2);

    visit_all(&c, 3, 1, 0);
    compare("dK", c.g.dK.hbm, (const double[]){0, 0}, 2,
            "a single key has weight 1 for any score: its dK is 0");
}

/* If the weights sum to 1, the sum of dV over all keys is dO. */
TEST(weights_sum_to_1)
{
    auto_case c = make(1, 8, 2, 1);
    float sum = 0;

    *dO_of(&c, 0) = variant_factor();
    visit_all(&c, 1, 8, 0);
    for (size_t j = 0; j < 8; j++)
        sum += *row(c.g.dV.hbm, j) / variant_factor();
    compare("P's row sums", matrix_of(&sum, 1, 1), (const double[]){1}, 1,
            "P is e^{s - L}, with s = scale q . k and a natural logarithm L");
}

TEST(big_scores_do_not_overflow)
{
    auto_case c = make(1, 1, 1, 1);

    *q_of(&c, 0) = *k_of(&c, 0) = 20; /* s = 200 */
    visit_all(&c, 1, 1, 0);
    compare("dV", c.g.dV.hbm, (const double[]){(double)*dO_of(&c, 0)}, 1,
            "e^200 is infinite, e^{200 - L} is not: subtract L first");
}

/* The query is (1, 0), and the keys are (0, 1) and (0, -1). So with any scale
 * both weights are 1/2. The values are 0 and 1, and dO is 1, so D is 1/2. A
 * gradient whose hint is NULL is not compared. */
static void check_by_hand(float scale, size_t Bc, const char *of_dV,
                          const char *of_dK, const char *of_dQ)
{
    const float Q[] = {1, 0}, K[] = {0, 1, 0, -1}, V[] = {0, 1};
    const double f = (double)variant_factor(), z = f * (double)scale;
    const double dV[] = {f / 2, f / 2};
    const double dK[] = {-z / 4, 0, z / 4, 0}, dQ[] = {0, -z / 2};
    auto_case c = make(1, 2, 2, 1);

    memcpy(q_of(&c, 0), Q, sizeof Q);
    memcpy(k_of(&c, 0), K, sizeof K);
    memcpy(v_of(&c, 0), V, sizeof V);
    *dO_of(&c, 0) = variant_factor();
    c.h.scale = scale;
    visit_all(&c, 1, Bc, 0);
    compare("dV", c.g.dV.hbm, dV, of_dV ? 2 : 0, of_dV);
    compare("dK", c.g.dK.hbm, dK, of_dK ? 4 : 0, of_dK);
    compare("dQ", c.g.dQ.hbm, dQ, of_dQ ? 2 : 0, of_dQ);
}

TEST(a_score_has_the_gradient_of_the_example)
{
    check_by_hand(1, 2, NULL,
                  "two weights of 1/2, dO . V_j is 0 and 1, their mean is 1/2: "
                  "dS is -1/4 and 1/4; dK is dS q with q = (1, 0)",
                  "dS is -1/4 and 1/4: dQ is the sum of dS times a row of K, "
                  "and K is (0, 1) and (0, -1)");
}

TEST(the_scale_is_in_dQ_and_dK)
{
    const char *reason = "s is scale q . k: the scale is in dQ and dK, once";

    check_by_hand(0.125f, 2, NULL, reason, reason);
}

TEST(a_tile_is_a_part_of_its_row)
{
    check_by_hand(1, 1, "L is of the whole row, not of this tile alone",
                  "the mean is of the whole row, not of this tile alone: it is "
                  "dO . O_i",
                  NULL);
}

TEST(dQ_is_added_to)
{
    check_by_hand(1, 1, NULL, NULL,
                  "dQ is a sum over all tiles of keys: add to it");
}

TEST(dK_and_dV_begin_at_0)
{
    check(1, 5, 3, 2, 1, 5, NAN, "on the first visit dK and dV begin at 0");
}

TEST(dK_and_dV_are_added_to)
{
    check(7, 2, 3, 3, 2, 2, 0,
          "dK and dV are sums over all queries of all tiles");
}

TEST(values_may_be_wider_than_keys)
{
    check(3, 4, 1, 5, 3, 4, 0,
          "d = 1, dv = 5: dO . V_j and dO . O_i are sums over dv columns");
}

TEST(tiles_of_any_size_give_the_same)
{
    const size_t sizes[] = {1, 2, 3, 5, N};

    for (size_t r = 0; r < 5; r++)
        for (size_t c = 0; c < 5; c++)
            check(11, N, 4, MOST_D, sizes[r], sizes[c], 0,
                  "11 queries, 12 keys");
}
