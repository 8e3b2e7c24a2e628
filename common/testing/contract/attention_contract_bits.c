/*
 * Claims of attention_contract.h: results that agree bit for bit.
 */
#include "common/testing/contract/attention_contract.h"
#include "common/testing/layer_case.h"

#include <math.h>
#include <string.h>

#define SEEDS 4

static attention_case problem(uint64_t seed)
{
    attention_case c = case_of(20 + seed, 50 - seed, 7, 5);

    case_random(&c, seed);
    c.h.Br = 7;
    c.h.Bc = 16;
    return c;
}

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

/* --- A causal prefix ------------------------------------------------------ */

static void copy(matrix to, matrix from)
{
    for (size_t i = 0; i < to.rows && to.cols > 0; i++)
        memcpy(row(to, i), row(from, i), to.cols * sizeof(float));
}

/* The problem of the first n queries and keys. */
static attention_case prefix(const attention_case *c, size_t n)
{
    attention_case part = case_of(n, n, c->h.d, c->h.dv);

    copy(part.h.Q.hbm, c->h.Q.hbm);
    copy(part.h.K.hbm, c->h.K.hbm);
    copy(part.h.V.hbm, c->h.V.hbm);
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

/* --- Runs ----------------------------------------------------------------- */

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
    layer_case together;
    memory mem;

    memory_init(&mem, 2048);
    for (size_t n = 0; n < HEADS; n++) {
        one[n] = case_of(29, 41, 8, 5);
        all[n] = case_of(29, 41, 8, 5);
        case_random(&one[n], 50 + n);
        case_random(&all[n], 50 + n);
        one[n].M = mem.M;
        case_run(&one[n], s);
    }
    together = layer_of_cases(all, HEADS, 1);
    assert_int_equal(s->step->run_layer(s->step, &together.l, &mem), MEMORY_OK);
    layer_to_cases(&together, all);
    for (size_t n = 0; n < HEADS; n++) {
        assert_same_bits(s, &all[n], &one[n]);
        case_free(&one[n]);
        case_free(&all[n]);
    }
    memory_reset(&mem);
}

const attention_claim bit_claims[] = {
    CLAIM(a_causal_prefix_has_the_same_bits, SAME_BITS),
    CLAIM(a_causal_prefix_is_right, 0),
    CLAIM(a_second_run_gives_the_same_bits, 0),
    CLAIM(the_inputs_are_left_alone, 0),
    CLAIM(heads_at_once_have_the_bits_of_one_by_one, HEADS_AT_ONCE),
    {0},
};
