/*
 * Claims of attention_contract.h: laws, which hold between two problems.
 * Each is tried on seeded random problems; where fp32 may round differently,
 * one problem's output is held against the other's float64.
 */
#include "common/testing/contract/attention_contract.h"

#include <math.h>
#include <string.h>

#include "common/problem/random.h"

#define SEEDS 8

/* A random problem of random size; even seeds have exact scores. */
static attention_case problem(uint64_t seed)
{
    random_source source = random_seed(seed * 7919);
    size_t Nq = 1 + random_below(&source, 40);
    size_t Nk = 1 + random_below(&source, 90);
    size_t d = 1 + random_below(&source, 20);
    attention_case c = case_of(Nq, Nk, d, 1 + random_below(&source, 20));

    if (seed % 2)
        case_random(&c, seed);
    else
        case_exact(&c, seed);
    return c;
}

static void copy_rows(matrix to, size_t i0, matrix from)
{
    for (size_t i = 0; i < from.rows && from.cols > 0; i++)
        memcpy(row(to, i0 + i), row(from, i), from.cols * sizeof(float));
}

/* The same queries and scale, and room for Nk keys. */
static attention_case with_keys(const attention_case *c, size_t Nk)
{
    attention_case other = case_of(c->h.Nq, Nk, c->h.d, c->h.dv);

    copy_rows(other.h.Q.hbm, 0, c->h.Q.hbm);
    other.h.scale = c->h.scale;
    return other;
}

/* other is to give c's O, and c's L but for a shift: within c's tolerance. */
static void check_same(const attention_subject *s, attention_case *c,
                       attention_case *other, double shift)
{
    case_expect(c, s);
    case_expect(other, s); /* rounds its inputs too */
    memcpy(other->O, c->O, c->h.Nq * c->h.dv * sizeof *c->O);
    for (size_t i = 0; i < c->h.Nq; i++)
        other->L[i] = c->L[i] + shift;
    other->O_tolerance = c->O_tolerance;
    other->L_tolerance = c->L_tolerance;
    check_as_expected(s, other);
}

/* --- The order and number of keys ----------------------------------------- */

static void swap_rows(matrix a, size_t i, size_t k)
{
    for (size_t c = 0; c < a.cols; c++) {
        float x = row(a, i)[c];

        row(a, i)[c] = row(a, k)[c];
        row(a, k)[c] = x;
    }
}

static void keys_may_come_in_any_order(void **subject)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        attention_case c = problem(seed), other = with_keys(&c, c.h.Nk);
        random_source source = random_seed(seed);

        copy_rows(other.h.K.hbm, 0, c.h.K.hbm);
        copy_rows(other.h.V.hbm, 0, c.h.V.hbm);
        for (size_t j = c.h.Nk; j-- > 0;) { /* Fisher and Yates */
            size_t k = random_below(&source, j + 1);

            swap_rows(other.h.K.hbm, j, k);
            swap_rows(other.h.V.hbm, j, k);
        }
        check_same(*subject, &c, &other, 0);
        case_free(&c);
        case_free(&other);
    }
}

static void keys_twice_leave_O_and_add_ln_2_to_L(void **subject)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        attention_case c = problem(seed), other = with_keys(&c, 2 * c.h.Nk);

        for (size_t copy = 0; copy < 2; copy++) {
            copy_rows(other.h.K.hbm, copy * c.h.Nk, c.h.K.hbm);
            copy_rows(other.h.V.hbm, copy * c.h.Nk, c.h.V.hbm);
        }
        check_same(*subject, &c, &other, log(2));
        case_free(&c);
        case_free(&other);
    }
}

/* --- A constant added to every score of a row ----------------------------- */

static void a_constant_added_to_all_scores_is_seen_in_L_alone(void **subject)
{
    for (uint64_t seed = 2; seed <= SEEDS; seed += 2) /* scores are exact */
        for (float shift = -512; shift <= 512; shift += 256) {
            attention_case c = problem(seed), other = with_keys(&c, c.h.Nk);

            copy_rows(other.h.K.hbm, 0, c.h.K.hbm);
            copy_rows(other.h.V.hbm, 0, c.h.V.hbm);
            case_mask(&other);
            fill(other.h.mask.hbm, shift);
            check_same(*subject, &c, &other, (double)shift);
            case_free(&c);
            case_free(&other);
        }
}

const attention_claim law_claims[] = {
    CLAIM(keys_may_come_in_any_order, 0),
    CLAIM(keys_twice_leave_O_and_add_ln_2_to_L, 0),
    CLAIM(a_constant_added_to_all_scores_is_seen_in_L_alone, MASKS),
    {0},
};
