/*
 * Claims of attention_contract.h: keys that are not attended, rows with nothing
 * to attend to, and where an infinity or a NaN may go.
 */
#include "common/testing/contract/attention_contract.h"

#include <math.h>

#include "common/problem/random.h"

enum { NQ = 20, NK = 40, D = 4, DV = 3 };

static const float junk[] = {NAN, INFINITY, -INFINITY};

static float *dO_of(const gradient_case *c, size_t i)
{
    return row(c->g.dO.hbm, i);
}

/* A random mask: of ten keys about four are left out. */
static gradient_case masked(uint64_t seed)
{
    attention_case forward = case_of(NQ, NK, D, DV);
    random_source source = random_seed(seed);

    case_random(&forward, seed);
    case_mask(&forward);
    for (size_t i = 0; i < NQ; i++)
        for (size_t j = 0; j < NK; j++)
            mask_of(&forward, i)[j] = random_below(&source, 10) < 4
                                          ? -INFINITY
                                          : (float)random_normal(&source);
    return gradient_case_of(forward);
}

static void check_both(const attention_subject *s, gradient_case *c)
{
    check_tiled_gradients(s, c);
    case_causal(&c->forward, NK - NQ);
    check_tiled_gradients(s, c);
}

/* All zeros: as many as fail are told apart from "small". */
static void assert_zero(const float *x, size_t n)
{
    for (size_t e = 0; e < n; e++)
        if (!(x[e] == 0))
            fail_msg("element %zu is %g, not 0", e, (double)x[e]);
}

/* Rows 0, 3, 6, ... see nothing; their Q, dO may hold anything. */
static void a_row_with_nothing_to_attend_to_gives_nothing(void **subject)
{
    for (size_t k = 0; k < 3; k++) {
        gradient_case c = masked(12);

        for (size_t i = 0; i < NQ; i += 3) {
            for (size_t j = 0; j < NK; j++)
                mask_of(&c.forward, i)[j] = -INFINITY;
            q_of(&c.forward, i)[i % D] = junk[k];
            dO_of(&c, i)[i % DV] = junk[k];
        }
        check_both(*subject, &c);
        for (size_t i = 0; i < NQ; i += 3)
            assert_zero(row(c.g.dQ.hbm, i), D);
        gradient_free(&c);
    }
}

/* Keys 10 .. 29, left out by all queries, may hold anything. */
static void a_key_that_nobody_attends_to_gets_and_gives_nothing(void **subject)
{
    for (size_t k = 0; k < 3; k++) {
        gradient_case c = masked(13);

        for (size_t j = 10; j < 30; j++) {
            for (size_t i = 0; i < NQ; i++)
                mask_of(&c.forward, i)[j] = -INFINITY;
            k_of(&c.forward, j)[j % D] = junk[k];
            v_of(&c.forward, j)[j % DV] = junk[k];
        }
        check_both(*subject, &c);
        for (size_t j = 10; j < 30; j++) {
            assert_zero(row(c.g.dK.hbm, j), D);
            assert_zero(row(c.g.dV.hbm, j), DV);
        }
        gradient_free(&c);
    }
}

/* --- The causal limit ----------------------------------------------------- */

/* K and V beyond what the last query sees, Q and dO of queries without keys. */
static void spoil_beyond_all_limits(gradient_case *c)
{
    const head *h = &c->forward.h;

    for (size_t j = keys_seen_by(h, 0, h->Nq); j < h->Nk; j++) {
        k_of(&c->forward, j)[j % h->d] = junk[j % 3];
        v_of(&c->forward, j)[j % h->dv] = junk[(j + 1) % 3];
    }
    for (size_t i = 0; i < h->Nq; i++)
        if (keys_seen(h, i) == 0) {
            q_of(&c->forward, i)[i % h->d] = junk[i % 3];
            dO_of(c, i)[i % h->dv] = junk[(i + 1) % 3];
        }
}

static void check_offset(const attention_subject *s, size_t Nq, size_t Nk,
                         long offset)
{
    attention_case forward = case_of(Nq, Nk, 3, 2);
    gradient_case c;

    case_random(&forward, 14);
    case_causal(&forward, offset);
    c = gradient_case_of(forward);
    spoil_beyond_all_limits(&c);
    check_tiled_gradients(s, &c);
    gradient_free(&c);
}

/* Less than a tile, and more than a whole block of a fast step. */
static void beyond_a_causal_limit_anything_may_stand(void **subject)
{
    const long offsets[] = {-200, -64, -3, 0, 1, 17, 35, 70};

    for (size_t k = 0; k < 8; k++) {
        check_offset(*subject, 33, 20, offsets[k]);
        check_offset(*subject, 20, 33, offsets[k]);
        check_offset(*subject, 150, 170, offsets[k]);
        check_offset(*subject, 70, 200, offsets[k]);
    }
}

/* --- NaN and infinity ----------------------------------------------------- */

/* Does the gradient say NaN in just these rows? */
static void assert_nan_rows(matrix a, const bool nan[])
{
    for (size_t i = 0; i < a.rows; i++)
        for (size_t c = 0; c < a.cols; c++)
            if (isnan(row(a, i)[c]) != nan[i])
                fail_msg("row %zu, column %zu is %g", i, c,
                         (double)row(a, i)[c]);
}

/* A NaN in q_5 makes all its scores NaN: dQ_5, and dK, dV of its keys. */
static void a_nan_row_reaches_only_keys_that_it_attends_to(void **subject)
{
    for (int causal = 0; causal < 2; causal++) {
        gradient_case c = masked(15);
        bool rows[NQ] = {false}, keys[NK];

        q_of(&c.forward, 5)[1] = NAN;
        if (causal)
            case_causal(&c.forward, 8);
        rows[5] = true;
        for (size_t j = 0; j < NK; j++)
            keys[j] = mask_of(&c.forward, 5)[j] != -INFINITY &&
                      j < keys_seen(&c.forward.h, 5);
        check_tiled_gradients(*subject, &c);
        assert_nan_rows(c.g.dQ.hbm, rows);
        assert_nan_rows(c.g.dK.hbm, keys);
        assert_nan_rows(c.g.dV.hbm, keys);
        gradient_free(&c);
    }
}

/* Of a key, a value, dO or a mask: float64 says where it goes. So it does of an
 * infinite value, but not of an infinite dO: dP then is infinite with both
 * signs, and sum_j P dP is NaN, where dO . O is not. */
static void a_nan_goes_where_its_weights_go(void **subject)
{
    for (size_t what = 0; what < 4; what++)
        for (size_t k = 0; k < 3; k++) {
            gradient_case c = masked(16);

            if (what == 0 && k == 0) /* an infinite key: a claim of its own */
                k_of(&c.forward, 17)[1] = junk[k];
            if (what == 1)
                v_of(&c.forward, 17)[1] = junk[k];
            if (what == 2 && k == 0)
                dO_of(&c, 7)[2] = junk[k];
            if (what == 3 && k == 0)
                mask_of(&c.forward, 3)[9] = NAN;
            check_both(*subject, &c);
            gradient_free(&c);
        }
}

/* +inf - inf: the row is NaN, and so is the weight of all that it attends to;
 * -inf is a key that is not attended, as if it were masked. */
static void an_infinite_score_makes_its_row_nan(void **subject)
{
    gradient_case c = masked(17);
    bool rows[NQ], keys[NK] = {false};

    for (size_t i = 0; i < NQ; i++) {
        q_of(&c.forward, i)[0] = i % 2 ? 1 : -1;
        rows[i] = i % 2;
        mask_of(&c.forward, i)[21] = 0;
    }
    for (size_t i = 1; i < NQ; i += 2)
        for (size_t j = 0; j < NK; j++)
            keys[j] = keys[j] || mask_of(&c.forward, i)[j] != -INFINITY;
    k_of(&c.forward, 21)[0] = INFINITY;
    check_tiled_gradients(*subject, &c);
    assert_nan_rows(c.g.dQ.hbm, rows);
    assert_nan_rows(c.g.dV.hbm, keys);
    gradient_free(&c);
}

/* c tanh(inf / c) is c, flat: dS is 0, but q or k is infinite, and 0 inf is no
 * number. Only a weight of 0 would have kept it out. */
static void an_infinity_under_a_softcap_is_no_number(void **subject)
{
    gradient_case c = masked(18);
    bool rows[NQ] = {false}, keys[NK] = {false};

    c.forward.h.softcap = 2;
    k_of(&c.forward, 21)[0] = INFINITY;
    q_of(&c.forward, 7)[0] = -INFINITY;
    for (size_t j = 0; j < NK; j++)
        if (j != 21)
            keys[j] = mask_of(&c.forward, 7)[j] != -INFINITY;
    for (size_t i = 0; i < NQ; i++)
        rows[i] = mask_of(&c.forward, i)[21] != -INFINITY;
    check_tiled_gradients(*subject, &c);
    for (size_t i = 0; i < NQ; i++)
        assert_int_equal(isnan(row(c.g.dQ.hbm, i)[0]), rows[i]);
    for (size_t j = 0; j < NK; j++)
        if (j != 21)
            assert_int_equal(isnan(row(c.g.dK.hbm, j)[0]), keys[j]);
    gradient_free(&c);
}

const attention_claim gradient_claims[] = {
    CLAIM(a_row_with_nothing_to_attend_to_gives_nothing, 0),
    CLAIM(a_key_that_nobody_attends_to_gets_and_gives_nothing, 0),
    CLAIM(beyond_a_causal_limit_anything_may_stand, 0),
    CLAIM(a_nan_row_reaches_only_keys_that_it_attends_to, 0),
    CLAIM(a_nan_goes_where_its_weights_go, 0),
    CLAIM(an_infinite_score_makes_its_row_nan, 0),
    CLAIM(an_infinity_under_a_softcap_is_no_number, WEIGHTS_AGAIN),
    {0},
};
