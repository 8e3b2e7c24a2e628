/*
 * Claims of attention_contract.h, for steps that are counted: what crosses
 * HBM is what the formula says, what is on chip fits there, and what does not
 * fit is refused.
 */
#include "common/problem/heads.h"
#include "common/testing/contract/attention_contract.h"

#include <math.h>
#include <string.h>

#include "common/problem/random.h"

/* --- Traffic -------------------------------------------------------------- */

static const char *const books[] = {"algorithm", "init", "L", "mask"};

static void check_traffic(const attention_subject *s, attention_case *c)
{
    tile_sizes t = step_tiles(s->step, &c->h, c->M);
    layer one = layer_of(&c->h);
    counts want = heads_formula(&one, s->step, c->M);

    case_run(c, s);
    for (size_t b = 0; b < BOOKS; b++)
        if (c->counts.read[b] != want.read[b] ||
            c->counts.written[b] != want.written[b])
            fail_msg("%s, %s: counted %zu read, %zu written; by formula %zu, "
                     "%zu (Nq %zu, Nk %zu, d %zu, dv %zu, Br %zu, Bc %zu, "
                     "causal %d, offset %ld)",
                     s->step->name, books[b], c->counts.read[b],
                     c->counts.written[b], want.read[b], want.written[b],
                     c->h.Nq, c->h.Nk, c->h.d, c->h.dv, t.Br, t.Bc, c->h.causal,
                     c->h.offset);
}

/* Sizes of a seed: every fifth problem has no queries or no keys. */
static attention_case sized(random_source *source, uint64_t seed)
{
    size_t Nq = random_below(source, 50), Nk = random_below(source, 70);
    size_t d = 1 + random_below(source, 20);
    attention_case c = case_of(seed % 10 == 0 ? 0 : Nq, seed % 10 == 5 ? 0 : Nk,
                               d, random_below(source, 20));

    case_random(&c, seed);
    return c;
}

/* Ragged tiles, causal limits and windows, cross-attention, dv != d, a mask. */
static void counted_traffic_equals_the_formula(void **subject)
{
    const attention_subject *s = *subject;
    random_source source = random_seed(61);
    float of[20 * 20];

    for (size_t b = 0; b < 20 * 20; b++)
        of[b] = b % 3 == 0 || b % 7 == 2 ? 1 : 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        attention_case c = sized(&source, seed);

        c.h.Br = 1 + random_below(&source, 20);
        c.h.Bc = 1 + random_below(&source, 20);
        if (seed % 2)
            case_causal(&c, (long)random_below(&source, 100) - 50);
        if (seed % 3 == 0)
            case_mask(&c);
        if (seed % 7 < 3 && !(s->excused & MASKS))
            c.h.window = 1 + seed % 23;
        if (seed % 5 == 1 && !(s->excused & MASKS)) {
            c.h.blocks.size = 4 + seed % 13;
            c.h.blocks.of = matrix_of(of, tiles(c.h.Nq, c.h.blocks.size),
                                      tiles(c.h.Nk, c.h.blocks.size));
        }
        check_traffic(s, &c);
        case_free(&c);
    }
}

static void traffic_of_tiles_chosen_from_M_equals_the_formula(void **subject)
{
    random_source source = random_seed(62);

    for (uint64_t seed = 1; seed <= 100; seed++) {
        attention_case c = sized(&source, seed);

        c.M = 2 * (c.h.d + c.h.dv) + random_below(&source, 2000);
        if (seed % 2)
            case_causal(&c, (long)c.h.Nk - (long)c.h.Nq);
        check_traffic(*subject, &c);
        case_free(&c);
    }
}

/* --- On chip -------------------------------------------------------------- */

static void tiles_fit_in_M(void **subject)
{
    random_source source = random_seed(63);

    for (uint64_t seed = 1; seed <= 100; seed++) {
        attention_case c = sized(&source, seed);

        c.M = 2 * (c.h.d + c.h.dv) + random_below(&source, 2000);
        case_run(&c, *subject);
        if (c.on_chip > c.M)
            fail_msg("%zu elements in use of %zu (d %zu, dv %zu)", c.on_chip,
                     c.M, c.h.d, c.h.dv);
        case_free(&c);
    }
}

/* Br rows of Q and O, Bc of K and V, no more than there are: none of the four
 * hides among the scores. */
static void Q_K_V_and_O_take_what_the_rule_counts(void **subject)
{
    const attention_subject *s = *subject;
    const tile_sizes sizes[] = {{1, 1}, {3, 5}, {16, 2}, {1000000, 1000000}};

    for (size_t k = 0; s->step->tiles && k < 4; k++) {
        attention_case c = case_of(21, 34, 4, 3);
        tile_sizes t;

        case_random(&c, 66);
        c.h.Br = sizes[k].Br;
        c.h.Bc = sizes[k].Bc;
        t = step_tiles(s->step, &c.h, c.M);
        case_run(&c, s);
        assert_int_equal(c.on_chip,
                         (min_size(t.Br, 21) + min_size(t.Bc, 34)) * (4 + 3));
        case_free(&c);
    }
}

/* Runs a problem that must be refused; leaves what it said in message. */
static int refusal(const attention_subject *s, attention_case *c, char *message)
{
    memory mem;
    int error;

    memory_init(&mem, c->M);
    error = step_run(s->step, &c->h, &mem);
    assert_int_equal(error, mem.error);
    memcpy(message, mem.message, sizeof mem.message);
    memory_reset(&mem);
    assert_int_equal(mem.error, MEMORY_OK);
    return error;
}

static void too_small_an_M_is_refused_by_its_size(void **subject)
{
    const attention_subject *s = *subject;
    attention_case c = case_of(5, 7, 8, 8);
    char message[sizeof((memory *)0)->message], memory_of_M[32];
    size_t least = s->step->tiles ? 32 : 16;

    case_random(&c, 64);
    /* Up to 15: not even one q and one o. From 16 on: those, but no k and v: a
     * rule for tiles must not say 0, or a step would never end. */
    for (c.M = 13; c.M < least; c.M++) {
        assert_int_equal(refusal(s, &c, message), MEMORY_TOO_SMALL);
        snprintf(memory_of_M, sizeof memory_of_M, "memory of %zu ", c.M);
        assert_non_null(strstr(message, memory_of_M));
        assert_non_null(strstr(message, "a tile of 1 x 8"));
    }
    case_free(&c);
}

/* More than any machine has: asked for, refused, and nothing is touched. */
static void an_allocation_that_fails_is_an_error(void **subject)
{
    attention_case c = case_of(1, 1, 1, 1);
    char message[sizeof((memory *)0)->message];

    c.h.d = c.h.dv = (size_t)-1 / 2;
    c.h.Br = c.h.Bc = 1;
    assert_int_equal(refusal(*subject, &c, message), MEMORY_FULL);
    assert_non_null(strstr(message, "out of memory for an array of 1 x "));
    case_free(&c);
}

/* --- Weights in less than fp32 -------------------------------------------- */

/* A weight in bf16 is off by 2^-9 of itself, and so O by 2^-9 max|V|: it is
 * rounded, and nothing else is. */
static void rounding_the_weights_costs_what_it_must(void **subject)
{
    const attention_subject *s = *subject;
    attention_case c = case_of(9, 100, 8, 3);
    double most = 0;

    case_exact(&c, 65);
    case_same_values(&c, 1);
    case_expect(&c, s);
    c.h.P = BF16;
    c.O_tolerance += 0x1p-9;
    case_run(&c, s);
    case_check(&c, s);
    for (size_t i = 0; i < 9 * 3; i++)
        most = fmax(most, fabs((double)c.h.O.hbm.data[i] - 1));
    assert_true(most > 0x1p-14);
    case_free(&c);
}

const attention_claim memory_claims[] = {
    CLAIM(counted_traffic_equals_the_formula, COUNTED_ALONE),
    CLAIM(traffic_of_tiles_chosen_from_M_equals_the_formula, COUNTED_ALONE),
    CLAIM(tiles_fit_in_M, COUNTED_ALONE),
    CLAIM(Q_K_V_and_O_take_what_the_rule_counts, COUNTED_ALONE),
    CLAIM(too_small_an_M_is_refused_by_its_size, COUNTED_ALONE),
    CLAIM(an_allocation_that_fails_is_an_error, COUNTED_ALONE),
    CLAIM(rounding_the_weights_costs_what_it_must,
          COUNTED_ALONE | WEIGHTS_TO_1),
    {0},
};
