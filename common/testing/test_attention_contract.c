/*
 * The contract refuses what it should: every flaw below is one that somebody
 * makes, and is caught by the claim that names it.
 */
#include "common/testing/contract/attention_contract.h"
#include "common/testing/expect_failure.h"
#include "common/scores.h"

#include <math.h>
#include <string.h>

typedef enum {
    NONE,
    NO_RESCALE,       /* o keeps weights made with an older maximum */
    NO_MAXIMUM,       /* e^s, not e^{s - m} */
    NO_GUARD,         /* e^{-inf + inf} */
    MAXIMUM_FROM_0,   /* m = max(0, s) */
    LAST_KEY_LOST,    /* a ragged tile of keys is cut short by one */
    RAGGED_TILE_LOST, /* Nk / Bc tiles, rounded down */
    LAST_QUERY_LOST,  /* Nq - 1 rows are written */
    VALUE_ROW_OFF,    /* p_j V_{j+1} */
    WIDTH_OF_KEYS,    /* d columns of V, whatever dv is */
    NO_LIMIT,         /* causal forgotten */
    LIMIT_OFF,        /* j < i + offset */
    LIMIT_FROM_END,   /* offset Nk - Nq, whatever was asked */
    NO_MASK,          /* mask forgotten */
    NO_SOFTCAP,       /* softcap forgotten */
    MASK_BEFORE_CAP,  /* the mask is capped too */
    SCALE_IS_DEFAULT, /* 1 / sqrt(d), whatever was asked */
    NAN_IS_0,         /* a NaN weighs nothing, and no one hears of it */
    READS_MASKED,     /* 0 * NaN */
    FLUSHES,          /* denormal outputs become 0 */
    L_IS_M,           /* ln l forgotten */
    L_IN_BITS,        /* log2 */
    UNDIVIDED,        /* O = sum of weights times values */
    EMPTY_IS_NAN,     /* 0 / 0 in a row with nothing to attend to */
    COUNTS_TWICE,     /* K is loaded twice */
    UNCOUNTED,        /* V is not counted */
    M_IGNORED,        /* takes its tiles as scratch */
    WRITES_INPUT,     /* scales Q in place */
    KEEPS_STATE,      /* its second run differs */
    READS_BEYOND, /* K has a key more, for a loop that is not left in time */
} flaw;

/* What the flawed step makes of the head that it is asked about. */
static head misread(const head *asked, flaw f)
{
    head h = *asked;

    if (f == NO_LIMIT)
        h.causal = false;
    if (f == LIMIT_OFF)
        h.offset--;
    if (f == LIMIT_FROM_END)
        h.offset = (long)h.Nk - (long)h.Nq;
    if (f == NO_MASK)
        h.mask.hbm.data = NULL;
    if (f == NO_SOFTCAP)
        h.softcap = 0;
    if (f == SCALE_IS_DEFAULT)
        h.scale = 1 / sqrtf((float)h.d);
    if (f == WIDTH_OF_KEYS)
        h.dv = min_size(h.d, h.dv);
    return h;
}

static float weight(float s, float m, flaw f)
{
    if (f == NAN_IS_0 && isnan(s))
        return 0;
    return f == NO_GUARD ? expf(s - m) : exp_minus(s, m);
}

static matrix tile(memory *mem, size_t rows, size_t cols, flaw f)
{
    return f == M_IGNORED ? scratch(mem, rows, cols) : on_chip(mem, rows, cols);
}

static tile_sizes sizes(const head *h, size_t M)
{
    (void)M;
    return (tile_sizes){1, h->Bc ? h->Bc : 1};
}

static void flawed_scores(const head *h, memory *mem, matrix s, matrix q,
                          matrix K, size_t i, size_t j0, flaw f)
{
    head cap = {.softcap = h->softcap};

    if (f == MASK_BEFORE_CAP)
        cap = *h, cap.softcap = 0;
    scores(f == MASK_BEFORE_CAP ? &cap : h, mem, s, q, K, i, j0);
    for (size_t j = 0; f == MASK_BEFORE_CAP && j < s.cols; j++)
        if (h->softcap > 0 && s.data[j] != -INFINITY)
            s.data[j] = h->softcap * tanhf(s.data[j] / h->softcap);
}

/* One query: the online form over tiles of Bc keys, with a flaw. */
static void flawed_row(const head *h, memory *mem, size_t i, flaw f, matrix q,
                       matrix o, matrix K, matrix V, matrix s_row)
{
    size_t Bc = sizes(h, 0).Bc, seen = keys_seen(h, i);
    float m = f == MAXIMUM_FROM_0 ? 0 : m_before(h), l = l_before(h), L;

    if (f == RAGGED_TILE_LOST && seen > Bc)
        seen -= seen % Bc;
    if (f == LAST_KEY_LOST && seen > Bc && seen % Bc)
        seen--;
    load(mem, q, h->Q, i, 0);
    fill(o, 0);
    for (size_t j0 = 0; j0 < seen; j0 += Bc) {
        size_t bc = min_size(Bc, seen - j0);
        matrix s = block(s_row, 0, 0, 1, bc);
        float m_new, alpha;

        load(mem, top(K, bc), h->K, j0, 0);
        if (f == COUNTS_TWICE)
            load(mem, top(K, bc), h->K, j0, 0);
        load(mem, top(V, bc), h->V, j0, 0);
        if (f == UNCOUNTED)
            mem->counts.read[ALGORITHM] -= bc * h->dv;
        flawed_scores(h, mem, s, q, K, i, j0, f);

        m_new = f == NO_MAXIMUM ? 0 : fmaxf(m, max_of(s.data, bc));
        alpha = weight(m, m_new, f);
        if (f == NO_RESCALE || f == NO_MAXIMUM)
            alpha = 1;
        l *= alpha;
        rescale(o.data, alpha, h->dv);
        for (size_t j = 0; j < bc; j++) {
            size_t at = f == VALUE_ROW_OFF && j + 1 < bc ? j + 1 : j;
            float p = weight(s.data[j], m_new, f);

            l += p;
            p = round_to(h->P, p);
            if (p != 0 || f == READS_MASKED)
                axpy(o.data, p, row(V, at), h->dv);
        }
        m = m_new;
    }
    rescale(o.data,
            f == UNDIVIDED      ? 1
            : f == EMPTY_IS_NAN ? 1 / l
                                : inverse(l),
            h->dv);
    for (size_t c = 0; f == FLUSHES && c < h->dv; c++)
        if (!isnormal(o.data[c]) && isfinite(o.data[c]))
            o.data[c] = 0;
    L = f == L_IS_M ? m : m + (f == L_IN_BITS ? log2f(l) : logf(l));
    store(mem, h->O, i, 0, o);
    store(mem, h->L, i, 0, matrix_of(&L, 1, 1));
}

static int flawed(const head *asked, memory *mem, flaw f)
{
    static size_t runs; /* what KEEPS_STATE keeps */
    head h = misread(asked, f);
    size_t rows = min_size(sizes(&h, 0).Bc, h.Nk), last;
    matrix q = tile(mem, 1, h.d, f), o = tile(mem, 1, h.dv, f);
    matrix K = tile(mem, rows, h.d, f), V = tile(mem, rows, h.dv, f);
    matrix s = scratch(mem, 1, rows);

    if (mem->error)
        return mem->error;

    last = f == LAST_QUERY_LOST && h.Nq > 0 ? h.Nq - 1 : h.Nq;
    for (size_t i = 0; i < last; i++)
        flawed_row(&h, mem, i, f, q, o, K, V, s);
    if (f == READS_BEYOND)
        load(mem, q, h.K, h.Nk, 0);
    if (f == WRITES_INPUT && h.Nq > 0)
        rescale(row(h.Q.hbm, 0), 2, h.d);
    if (f == KEEPS_STATE && h.Nq > 0 && h.dv > 0)
        row(h.O.hbm, 0)[0] *= 1 + 0x1p-22f * (float)(runs++ % 2);
    return mem->error;
}

/* What an honest step of that kind moves; a mask is counted as it is read. */
static counts traffic(const head *h, tile_sizes t)
{
    size_t pairs = 0;

    (void)t;
    for (size_t i = 0; i < h->Nq; i++)
        pairs += keys_seen(h, i);
    return (counts){
        .read[ALGORITHM] = h->Nq * h->d + pairs * (h->d + h->dv),
        .written[ALGORITHM] = h->Nq * (h->dv + 1),
        .read[MASK] = h->mask.hbm.data ? pairs : 0,
    };
}

/* clang-format off */
#define STEP(name, f)                                                          \
    static int name(const head *h, memory *mem) { return flawed(h, mem, f); }
#define FOR_ALL_FLAWS(X)                                                       \
    X(no_rescale, NO_RESCALE, "keys_may_come_in_any_order")                    \
    X(no_rescale_2, NO_RESCALE, "rising_scores_are_right")                     \
    X(no_rescale_3, NO_RESCALE, "the_last_key_may_dominate")                   \
    X(no_maximum, NO_MAXIMUM, "scores_of_89_do_not_overflow")                  \
    X(no_maximum_2, NO_MAXIMUM, "very_negative_scores_do_not_underflow")       \
    X(no_guard, NO_GUARD, "a_fully_masked_row_is_zero")                        \
    X(no_guard_2, NO_GUARD, "masked_first_tiles_leave_no_trace")               \
    X(from_0, MAXIMUM_FROM_0, "very_negative_scores_do_not_underflow")         \
    X(last_key, LAST_KEY_LOST, "every_pair_of_tile_sizes_is_right")            \
    X(last_key_2, LAST_KEY_LOST, "the_last_key_may_dominate")                  \
    X(ragged, RAGGED_TILE_LOST, "every_length_is_right")                       \
    X(ragged_2, RAGGED_TILE_LOST, "queries_and_keys_may_differ_in_number")     \
    X(last_query, LAST_QUERY_LOST, "every_length_is_right")                    \
    X(value_row, VALUE_ROW_OFF, "random_problems_are_right")                   \
    X(value_row_2, VALUE_ROW_OFF, "a_middle_key_may_dominate")                 \
    X(width, WIDTH_OF_KEYS, "values_may_be_wider_or_narrower_than_keys")       \
    X(no_limit, NO_LIMIT, "every_causal_offset_is_right")                      \
    X(limit_off, LIMIT_OFF, "every_causal_offset_is_right")                    \
    X(limit_off_2, LIMIT_OFF, "every_length_is_right")                         \
    X(limit_end, LIMIT_FROM_END, "every_causal_offset_is_right")               \
    X(no_mask, NO_MASK, "a_mask_is_added_to_the_scores")                       \
    X(no_softcap, NO_SOFTCAP, "a_softcap_bends_the_scores")                    \
    X(mask_first, MASK_BEFORE_CAP, "a_mask_comes_after_the_softcap")           \
    X(scale, SCALE_IS_DEFAULT, "a_negative_scale_turns_the_scores_over")       \
    X(scale_2, SCALE_IS_DEFAULT, "a_scale_of_zero_gives_the_mean")             \
    X(nan_is_0, NAN_IS_0, "a_nan_in_the_last_key_is_seen")                     \
    X(nan_is_0_2, NAN_IS_0, "a_nan_in_a_query_stays_in_its_row")               \
    X(reads, READS_MASKED, "masked_keys_may_hold_anything")                    \
    X(reads_2, READS_MASKED, "a_mask_keeps_a_nan_from_its_row")                \
    X(reads_faded, READS_MASKED, "a_value_of_weight_0_may_be_anything")        \
    X(flushes, FLUSHES, "denormal_values_are_not_flushed")                     \
    X(l_is_m, L_IS_M, "keys_twice_leave_O_and_add_ln_2_to_L")                  \
    X(l_is_m_2, L_IS_M, "no_value_columns_leave_L")                            \
    X(in_bits, L_IN_BITS, "keys_twice_leave_O_and_add_ln_2_to_L")              \
    X(undivided, UNDIVIDED, "constant_values_come_out_as_they_are")            \
    X(empty_is_nan, EMPTY_IS_NAN, "no_keys_give_zeros")                        \
    X(empty_is_nan_2, EMPTY_IS_NAN, "a_fully_masked_row_is_zero")              \
    X(twice, COUNTS_TWICE, "counted_traffic_equals_the_formula")               \
    X(uncounted, UNCOUNTED, "counted_traffic_equals_the_formula")              \
    X(ignored, M_IGNORED, "too_small_an_M_is_refused_by_its_size")             \
    X(writes, WRITES_INPUT, "the_inputs_are_left_alone")                       \
    X(keeps, KEEPS_STATE, "a_second_run_gives_the_same_bits")                 \
    X(beyond, READS_BEYOND, "nothing_beyond_an_array_is_read_or_written")
#define DEFINE(name, f, claim) STEP(name, f)
#define LIST(kernel, f, claim)                                                   \
    {{.name = #f, .run = kernel, .tiles = sizes, .formula = traffic}, claim},
/* clang-format on */

STEP(no_flaw, NONE)
FOR_ALL_FLAWS(DEFINE)

static const attention_step honest[] = {
    {.name = "no_flaw", .run = no_flaw, .tiles = sizes, .formula = traffic},
    {0},
};

static const struct {
    attention_step step;
    const char *claim;
} flaws[] = {FOR_ALL_FLAWS(LIST)};
#define FLAWS (sizeof flaws / sizeof flaws[0])

static const attention_claim *claim_named(const char *name)
{
    const attention_claim *const groups[] = {
        size_claims, mask_claims, limit_claims, score_claims,
        law_claims,  bit_claims,  memory_claims};

    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
        for (const attention_claim *c = groups[g]; c->name; c++)
            if (strcmp(c->name, name) == 0)
                return c;
    fail_msg("the contract has no claim %s", name);
    return NULL;
}

static void every_flaw_is_caught_by_its_claim(void **state)
{
    (void)state;
    for (size_t k = 0; k < FLAWS; k++) {
        attention_subject subject = {.step = &flaws[k].step};
        char output[8192];

        if (!test_fails(claim_named(flaws[k].claim)->run, &subject, output,
                        sizeof output))
            fail_msg("%s passes %s", flaws[k].step.name, flaws[k].claim);
    }
}

static void the_failure_names_problem_and_element(void **state)
{
    const attention_step step = {
        .name = "flawed", .run = last_key, .tiles = sizes, .formula = traffic};
    attention_subject subject = {.step = &step};
    char output[8192];

    (void)state;
    test_fails(claim_named("the_last_key_may_dominate")->run, &subject, output,
               sizeof output);
    assert_non_null(strstr(output, "flawed: Nq 3, Nk 37, d 1, dv 2, Br 2, Bc 3,"
                                   " scale 1\nO[0][0]: want 36, got "));
}

/* --- Excuses -------------------------------------------------------------- */

static int takes_no_mask(const head *h, memory *mem)
{
    return h->mask.hbm.data || h->softcap > 0 ? MEMORY_TOO_SMALL
                                              : flawed(h, mem, NONE);
}

static int takes_whole_tiles(const head *h, memory *mem)
{
    return h->mask.hbm.data ? MEMORY_TOO_SMALL : flawed(h, mem, READS_MASKED);
}

/* P, and then O, stored in bf16. */
static int in_bf16(const head *asked, memory *mem)
{
    head h = *asked;

    h.P = h.O.type = BF16;
    return flawed(&h, mem, NONE);
}

/* Uncounted steps, as those of chapter 07 are. */
static const attention_step excused_steps[] = {
    {.name = "no_mask", .run = takes_no_mask},
    {.name = "whole_tiles", .run = takes_whole_tiles},
    {.name = "in_bf16", .type = BF16, .run = in_bf16},
    {0},
};

static const attention_excuse excuses[] = {
    {"no_mask", MASKS | SOFTCAPS, 0},
    {"whole_tiles", MASKS | OWN_LIMITS, 200000},
    {0},
};

static void bf16_is_not_excused_from_an_error_of_more_than_bf16(void **state)
{
    const attention_step step = {
        .name = "no_rescale", .type = BF16, .run = no_rescale};
    attention_subject subject = {.step = &step};
    char output[8192];

    (void)state;
    assert_true(test_fails(claim_named("random_problems_are_right")->run,
                           &subject, output, sizeof output));
}

static void an_error_of_bf16_is_no_error_of_fp32(void **state)
{
    attention_step step = excused_steps[2];
    attention_subject subject = {.step = &step};
    char output[8192];

    (void)state;
    step.type = FP32;
    assert_true(test_fails(claim_named("random_problems_are_right")->run,
                           &subject, output, sizeof output));
}

/* The contract as the chapters use it, run twice: without excuses, and with. */
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flaw_is_caught_by_its_claim),
        cmocka_unit_test(the_failure_names_problem_and_element),
        cmocka_unit_test(bf16_is_not_excused_from_an_error_of_more_than_bf16),
        cmocka_unit_test(an_error_of_bf16_is_no_error_of_fp32),
    };

    return run_attention_tests("attention_contract", honest, NULL, tests,
                               sizeof tests / sizeof tests[0]) |
           run_attention_tests("attention_contract, excused", excused_steps,
                               excuses, NULL, 0);
}
