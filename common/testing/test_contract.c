/*
 * What must fail does fail: a step that is right but for one flaw is refused by
 * the claim that looks there, and the failure says where. That the claims see
 * what may be wrong in a kernel is for mutants to show (docs/assurance.md).
 */
#include "common/testing/contract/attention_contract.h"
#include "common/testing/contract/softmax_contract.h"
#include "common/testing/expect_failure.h"
#include "common/judge/reference_attention.h"

#include <math.h>
#include <string.h>

typedef enum {
    NONE,
    O_IS_OFF,     /* an element, by 2^-12 of itself */
    O_IS_WRONG,   /* an element, by an eighth: too much in bf16, too */
    L_IS_OFF,     /* by 10^-4 */
    NAN_IS_0,     /* and nobody hears of it */
    ROW_IS_LOST,  /* the last one is not written */
    COUNTS_MORE,  /* than it said it would */
    READS_BEYOND, /* K has a key more */
    WRITES_INPUT, /* scales Q in place */
    KEEPS_STATE,  /* its second run differs */
    ROUNDS,       /* O to bf16 */
} flaw;

static flaw made; /* by the step that is asked */

/* Attention in float64, with the flaw. */
static int flawed(const head *h, memory *mem)
{
    static size_t runs;
    double *O = case_block(h->Nq * h->dv, sizeof *O);
    double *L = case_block(h->Nq, sizeof *L);
    size_t rows = h->Nq - (made == ROW_IS_LOST && h->Nq > 0);

    assert_int_equal(reference_attention(h, O, L), 0);
    for (size_t i = 0; i < rows; i++) {
        for (size_t c = 0; c < h->dv; c++) {
            float o = (float)O[i * h->dv + c];

            if (made == NAN_IS_0 && isnan(o))
                o = 0;
            if (i == h->Nq / 2 && c == 0)
                o *= made == O_IS_OFF      ? 1 + 0x1p-12f
                     : made == O_IS_WRONG  ? 1.125f
                     : made == KEEPS_STATE ? 1 + 0x1p-22f * (float)(runs++ % 2)
                                           : 1;
            row(h->O.hbm, i)[c] = made == ROUNDS ? round_to(BF16, o) : o;
        }
        *row(h->L.hbm, i) = (float)L[i] + (made == L_IS_OFF ? 1e-4f : 0);
    }
    if (made == READS_BEYOND)
        mem->counts.exps += (size_t)*row(h->K.hbm, h->Nk);
    if (made == WRITES_INPUT && h->Nq > 0)
        row(h->Q.hbm, 0)[0] *= 2;
    mem->counts.read[ALGORITHM] = h->Nq + (made == COUNTS_MORE);
    free(O);
    free(L);
    return mem->error;
}

static counts formula(const head *h, tile_sizes t)
{
    (void)t;
    return (counts){.read[ALGORITHM] = h->Nq};
}

/* Does a step of that type with the flaw fail the claim? */
static bool refused(flaw f, precision type, const char *name, char output[8192])
{
    const attention_claim *const groups[] = {size_claims, limit_claims,
                                             bit_claims, memory_claims};
    const attention_step step = {
        .name = "flawed", .type = type, .run = flawed, .formula = formula};
    attention_subject subject = {.step = &step};

    made = f;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
        for (const attention_claim *c = groups[g]; c->name; c++)
            if (strcmp(c->name, name) == 0)
                return test_fails(c->run, &subject, output, 8192);
    fail_msg("the contract has no claim %s", name);
    return false;
}

static void a_flaw_is_caught_by_its_claim(void **state)
{
    const struct {
        flaw f;
        precision type;
        const char *claim;
    } flaws[] = {
        {O_IS_OFF, FP32, "random_problems_are_right"},
        {O_IS_WRONG, BF16, "random_problems_are_right"},
        {ROUNDS, FP32, "random_problems_are_right"},
        {L_IS_OFF, FP32, "random_problems_are_right"},
        {ROW_IS_LOST, FP32, "every_length_is_right"},
        {NAN_IS_0, FP32, "a_nan_in_the_last_key_is_seen"},
        {NAN_IS_0, FP32, "a_nan_in_a_query_stays_in_its_row"},
        {COUNTS_MORE, FP32, "counted_traffic_equals_the_formula"},
        {READS_BEYOND, FP32, "nothing_beyond_an_array_is_read_or_written"},
        {WRITES_INPUT, FP32, "the_inputs_are_left_alone"},
        {KEEPS_STATE, FP32, "a_second_run_gives_the_same_bits"},
    };
    char output[8192];

    (void)state;
    for (size_t k = 0; k < sizeof flaws / sizeof flaws[0]; k++) {
        if (refused(NONE, flaws[k].type, flaws[k].claim, output))
            fail_msg("%s refuses what is right: %s", flaws[k].claim, output);
        if (!refused(flaws[k].f, flaws[k].type, flaws[k].claim, output))
            fail_msg("flaw %zu passes %s", k, flaws[k].claim);
    }
    assert_false(refused(ROUNDS, BF16, "random_problems_are_right", output));
}

static void the_failure_names_problem_and_element(void **state)
{
    char output[8192];

    (void)state;
    refused(O_IS_OFF, FP32, "every_length_is_right", output);
    assert_non_null(strstr(output, "flawed: Nq 1, Nk 1, d 8, dv 8, scale "));
    assert_non_null(strstr(output, "\nO[0][0]: want "));
}

/* --- A row ------------------------------------------------------------------ */

/* The online softmax, but for what it is asked to do otherwise. */
static void row_of(softmax_row *r, float off, bool pass_more, bool rescales)
{
    float m = -INFINITY, l = 0;

    for (size_t i = 0; i < r->n; i++) {
        float x = get(r, i), m_new = fmaxf(m, x);

        l *= rescales && m != -INFINITY ? expf(m - m_new) : 1;
        l += x == -INFINITY ? 0 : expf(x - m_new);
        m = m_new;
    }
    for (size_t i = 0; pass_more && i < r->n; i++)
        get(r, i);
    for (size_t i = 0; i < r->n; i++) {
        float x = get(r, i);

        put(r, i, (x == -INFINITY ? 0 : expf(x - m) / l) * (i ? 1 : 1 - off));
    }
    r->L = m + logf(l) + off;
}

static void right_row(softmax_row *r)
{
    row_of(r, 0, false, true);
}

static void off_row(softmax_row *r)
{
    row_of(r, 1e-4f, false, true);
}

static void long_row(softmax_row *r)
{
    row_of(r, 0, true, true);
}

static void old_row(softmax_row *r)
{
    row_of(r, 0, false, false);
}

typedef struct {
    const char *claim;
    softmax_subject step;
} row_question;

static void keeps_its_claim(void **state)
{
    const row_question *q = *state;
    const softmax_claim *c = softmax_claims;

    while (strcmp(c->name, q->claim) != 0)
        c++;
    check_softmax_claim(c, &q->step);
}

static void a_flawed_row_is_caught_by_its_claim(void **state)
{
    const struct {
        softmax_fn *run;
        const char *claim;
    } flaws[] = {
        {off_row, "random_rows_are_right"},
        {off_row, "the_logsumexp_is_right"},
        {long_row, "the_passes_over_the_row_are_counted"},
        {old_row, "rising_scores_are_right"},
    };
    char output[8192];

    (void)state;
    for (size_t k = 0; k < sizeof flaws / sizeof flaws[0]; k++) {
        row_question right = {flaws[k].claim, {right_row, 2, 64}};
        row_question wrong = {flaws[k].claim, {flaws[k].run, 2, 64}};

        assert_false(test_fails(keeps_its_claim, &right, output, 8192));
        assert_true(test_fails(keeps_its_claim, &wrong, output, 8192));
    }
    assert_non_null(strstr(output, "y[0] of 2, x = 0, max 40: want "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flaw_is_caught_by_its_claim),
        cmocka_unit_test(the_failure_names_problem_and_element),
        cmocka_unit_test(a_flawed_row_is_caught_by_its_claim),
    };

    return run_tests("contract", tests);
}
