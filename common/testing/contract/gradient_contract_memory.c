/*
 * Claims of attention_contract.h, for steps that are counted: what crosses HBM
 * is what the formula says, in every book; what is on chip fits there, and what
 * does not fit is refused.
 */
#include "common/testing/contract/attention_contract.h"

#include <math.h>
#include <string.h>

#include "common/problem/random.h"

static const char *const books[] = {"algorithm", "init", "L", "mask"};

static void check_traffic(const attention_subject *s, gradient_case *c)
{
    const head *h = &c->forward.h;
    tile_sizes t = {0, 0};
    counts want;

    gradient_run(c, s);
    if (s->backward->tiles)
        t = s->backward->tiles(h, c->forward.M);
    want = s->backward->formula(&c->g, t);
    for (size_t b = 0; b < BOOKS; b++)
        if (c->counts.read[b] != want.read[b] ||
            c->counts.written[b] != want.written[b])
            fail_msg("%s, %s: counted %zu read, %zu written; by formula %zu, "
                     "%zu (Nq %zu, Nk %zu, d %zu, dv %zu, Br %zu, Bc %zu, "
                     "causal %d, offset %ld, add %d)",
                     s->backward->name, books[b], c->counts.read[b],
                     c->counts.written[b], want.read[b], want.written[b], h->Nq,
                     h->Nk, h->d, h->dv, t.Br, t.Bc, h->causal, h->offset,
                     c->g.add);
}

/* Sizes of a seed: every fifth problem has no queries or no keys. */
static gradient_case sized(random_source *source, uint64_t seed)
{
    size_t Nq = random_below(source, 40), Nk = random_below(source, 50);
    size_t d = 1 + random_below(source, 20), dv = random_below(source, 20);
    attention_case forward =
        case_of(seed % 10 == 0 ? 0 : Nq, seed % 10 == 5 ? 0 : Nk, d, dv);
    gradient_case c;

    case_random(&forward, seed);
    if (seed % 2)
        case_causal(&forward, (long)random_below(source, 100) - 50);
    if (seed % 3 == 0)
        case_mask(&forward);
    if (seed % 4 == 0)
        forward.h.softcap = seed % 8 ? 3 : 0.5f;
    if (seed % 5 < 2)
        forward.h.window = 1 + seed % 23;
    c = gradient_case_of(forward);
    c.g.add = seed % 7 < 2;
    fill(c.g.dK.hbm, 0);
    fill(c.g.dV.hbm, 0);
    memset(c.dK, 0, c.forward.h.Nk * d * sizeof *c.dK);
    memset(c.dV, 0, c.forward.h.Nk * dv * sizeof *c.dV);
    gradient_expect(&c);
    return c;
}

static void counted_traffic_equals_the_formula(void **subject)
{
    random_source source = random_seed(61);

    for (uint64_t seed = 1; seed <= 200; seed++) {
        gradient_case c = sized(&source, seed);

        c.forward.h.Br = 1 + random_below(&source, 20);
        c.forward.h.Bc = 1 + random_below(&source, 20);
        check_traffic(*subject, &c);
        gradient_check(&c, *subject);
        gradient_free(&c);
    }
}

static void traffic_of_tiles_chosen_from_M_equals_the_formula(void **subject)
{
    random_source source = random_seed(62);

    for (uint64_t seed = 1; seed <= 100; seed++) {
        gradient_case c = sized(&source, seed);

        c.forward.M =
            4 * (c.forward.h.d + c.forward.h.dv) + random_below(&source, 3000);
        check_traffic(*subject, &c);
        if (c.on_chip > c.forward.M)
            fail_msg("%zu elements in use of %zu (d %zu, dv %zu)", c.on_chip,
                     c.forward.M, c.forward.h.d, c.forward.h.dv);
        gradient_free(&c);
    }
}

/* Runs a problem that must be refused; leaves what it said in message. */
static int refusal(const attention_subject *s, gradient_case *c, char *message)
{
    memory mem;
    int error;

    c->g.h = c->forward.h;
    memory_init(&mem, c->forward.M);
    error = backward_step_run(s->backward, &c->g, &mem);
    assert_int_equal(error, mem.error);
    memcpy(message, mem.message, sizeof mem.message);
    memory_reset(&mem);
    return error;
}

static void too_small_an_M_is_refused_by_its_size(void **subject)
{
    attention_case forward = case_of(5, 7, 8, 8);
    char message[sizeof((memory *)0)->message];
    gradient_case c;

    case_random(&forward, 64);
    c = gradient_case_of(forward);
    c.forward.M = 15;
    assert_int_equal(refusal(*subject, &c, message), MEMORY_TOO_SMALL);
    assert_non_null(strstr(message, "memory of 15 elements is too small"));
    gradient_free(&c);
}

/* More than any machine has: asked for, refused, and nothing is touched. */
static void an_allocation_that_fails_is_an_error(void **subject)
{
    gradient_case c = gradient_case_of(case_of(1, 1, 1, 1));
    char message[sizeof((memory *)0)->message];

    c.forward.h.d = c.forward.h.dv = (size_t)-1 / 2;
    c.forward.h.Br = c.forward.h.Bc = 1;
    assert_int_equal(refusal(*subject, &c, message), MEMORY_FULL);
    assert_non_null(strstr(message, "out of memory for an array of 1 x "));
    gradient_free(&c);
}

/* --- Less than fp32 ------------------------------------------------------- */

/* The largest difference between a gradient and its float64. */
static double off(matrix got, const double *want)
{
    double most = 0;

    for (size_t e = 0; e < got.rows * got.cols; e++)
        most = fmax(most, fabs((double)got.data[e] - want[e]));
    return most;
}

/* P in bf16 is off by 2^-9 of itself; dV is the sum of P times dO. */
static void rounding_the_weights_costs_dV_what_it_must(void **subject)
{
    attention_case forward = case_of(9, 100, 8, 3);
    gradient_case c;

    case_random(&forward, 65);
    c = gradient_case_of(forward);
    gradient_expect(&c);
    c.forward.h.P = BF16;
    gradient_run(&c, *subject);
    assert_true(off(c.g.dV.hbm, c.dV) >= 0x1p-13);
    assert_true(off(c.g.dV.hbm, c.dV) <= 9 * 4 * 0x1p-9);
    gradient_free(&c);
}

/* dS in bf16 costs dQ and dK, and dV nothing at all. */
static void rounding_dS_costs_dQ_and_dK_but_not_dV(void **subject)
{
    attention_case forward = case_of(9, 100, 8, 3);
    gradient_case c;

    case_random(&forward, 66);
    c = gradient_case_of(forward);
    gradient_expect(&c);
    c.g.dS = BF16;
    gradient_run(&c, *subject);
    assert_true(off(c.g.dV.hbm, c.dV) <= c.dV_tolerance);
    assert_true(off(c.g.dQ.hbm, c.dQ) > 4 * c.dQ_tolerance);
    assert_true(off(c.g.dK.hbm, c.dK) > 4 * c.dK_tolerance);
    assert_true(off(c.g.dQ.hbm, c.dQ) < 0x1p-9 * 100 * c.dQ_tolerance / 1e-6);
    gradient_free(&c);
}

const attention_claim gradient_memory_claims[] = {
    CLAIM(counted_traffic_equals_the_formula, COUNTED_ALONE),
    CLAIM(traffic_of_tiles_chosen_from_M_equals_the_formula, COUNTED_ALONE),
    CLAIM(too_small_an_M_is_refused_by_its_size, COUNTED_ALONE),
    CLAIM(an_allocation_that_fails_is_an_error, COUNTED_ALONE),
    CLAIM(rounding_the_weights_costs_dV_what_it_must, NARROW_WEIGHTS),
    CLAIM(rounding_dS_costs_dQ_and_dK_but_not_dV, 0),
    {0},
};
