/*
 * Claims of attention_contract.h: laws, which hold between two problems.
 * Each is tried on seeded random problems; where fp32 may round differently,
 * one problem's output is held against the other's float64.
 */
#include "common/attention_contract.h"

#include <math.h>
#include <string.h>

#include "common/random.h"

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

/* --- Bits ----------------------------------------------------------------- */

/* The same bits, a NaN being a NaN. */
static void assert_same_rows(const attention_subject *s, matrix got,
                             matrix want, const char *what)
{
    for (size_t i = 0; i < got.rows; i++)
        for (size_t k = 0; k < got.cols; k++) {
            float a = row(got, i)[k], b = row(want, i)[k];

            if (memcmp(&a, &b, sizeof a) != 0 && !(isnan(a) && isnan(b)))
                fail_msg("%s: %s[%zu][%zu] is %.9g, and was %.9g",
                         s->step->name, what, i, k, (double)a, (double)b);
        }
}

static void assert_same_bits(const attention_subject *s,
                             const attention_case *a, const attention_case *b)
{
    assert_same_rows(s, a->h.O.hbm, b->h.O.hbm, "O");
    assert_same_rows(s, a->h.L.hbm, b->h.L.hbm, "L");
}

/* The problem of the first n queries and keys. */
static attention_case prefix(const attention_case *c, size_t n)
{
    attention_case part = case_of(n, n, c->h.d, c->h.dv);

    copy_rows(part.h.Q.hbm, 0, top(c->h.Q.hbm, n));
    copy_rows(part.h.K.hbm, 0, top(c->h.K.hbm, n));
    copy_rows(part.h.V.hbm, 0, top(c->h.V.hbm, n));
    part.h.scale = c->h.scale;
    part.h.Br = c->h.Br;
    part.h.Bc = c->h.Bc;
    case_causal(&part, 0);
    return part;
}

static const size_t prefixes[] = {1, 2, 16, 31, 32, 33, 48, 63};

/* Causal attention of a text's beginning is the beginning of the text's. */
static void a_causal_prefix_has_the_same_bits(void **subject)
{
    const attention_subject *s = *subject;
    attention_case c = case_of(64, 64, 8, 5);

    case_random(&c, 41);
    case_causal(&c, 0);
    c.h.Br = 7;
    c.h.Bc = 16;
    case_run(&c, s);
    for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0]; k++) {
        attention_case part = prefix(&c, prefixes[k]);

        case_run(&part, s);
        assert_same_rows(s, part.h.O.hbm, c.h.O.hbm, "O");
        assert_same_rows(s, part.h.L.hbm, c.h.L.hbm, "L");
        case_free(&part);
    }
    case_free(&c);
}

static void a_causal_prefix_is_right(void **subject)
{
    attention_case c = case_of(64, 64, 8, 5);

    case_random(&c, 41);
    for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0]; k++) {
        attention_case part = prefix(&c, prefixes[k]);

        check_tiled(*subject, &part);
        case_free(&part);
    }
    case_free(&c);
}

static void a_second_run_gives_the_same_bits(void **subject)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        attention_case a = problem(seed), b = problem(seed);

        case_run(&a, *subject);
        case_run(&b, *subject);
        assert_same_bits(*subject, &a, &b);
        case_free(&a);
        case_free(&b);
    }
}

static void the_inputs_are_left_alone(void **subject)
{
    const attention_subject *s = *subject;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        attention_case a = problem(seed), b = problem(seed);

        if (!(s->excused & MASKS)) {
            case_mask(&a);
            case_mask(&b);
        }
        case_run(&a, s);
        assert_same_rows(s, a.h.Q.hbm, b.h.Q.hbm, "Q");
        assert_same_rows(s, a.h.K.hbm, b.h.K.hbm, "K");
        assert_same_rows(s, a.h.V.hbm, b.h.V.hbm, "V");
        if (a.h.mask.hbm.data)
            assert_same_rows(s, a.h.mask.hbm, b.h.mask.hbm, "mask");
        case_free(&a);
        case_free(&b);
    }
}

/* --- Heads ---------------------------------------------------------------- */

#define HEADS 3

/* For a step that takes all heads at once: as one by one. */
static void heads_at_once_have_the_bits_of_one_by_one(void **subject)
{
    const attention_subject *s = *subject;
    attention_case one[HEADS], all[HEADS];
    head heads[HEADS];
    memory mem;

    memory_init(&mem, 2048);
    for (size_t n = 0; n < HEADS; n++) {
        one[n] = case_of(29, 41, 8, 5);
        all[n] = case_of(29, 41, 8, 5);
        case_random(&one[n], 50 + n);
        case_random(&all[n], 50 + n);
        one[n].M = mem.M;
        case_run(&one[n], s);
        heads[n] = all[n].h;
    }
    assert_int_equal(s->step->run_heads(heads, HEADS, &mem), MEMORY_OK);
    for (size_t n = 0; n < HEADS; n++) {
        assert_same_bits(s, &all[n], &one[n]);
        case_free(&one[n]);
        case_free(&all[n]);
    }
    memory_reset(&mem);
}

const attention_claim law_claims[] = {
    CLAIM(keys_may_come_in_any_order, 0),
    CLAIM(keys_twice_leave_O_and_add_ln_2_to_L, 0),
    CLAIM(a_constant_added_to_all_scores_is_seen_in_L_alone, MASKS),
    CLAIM(a_causal_prefix_has_the_same_bits, SAME_BITS),
    CLAIM(a_causal_prefix_is_right, 0),
    CLAIM(a_second_run_gives_the_same_bits, 0),
    CLAIM(the_inputs_are_left_alone, 0),
    CLAIM(heads_at_once_have_the_bits_of_one_by_one, HEADS_AT_ONCE),
    {0},
};
