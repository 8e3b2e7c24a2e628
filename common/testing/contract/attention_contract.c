/*
 * The table of claims, made into tests (attention_contract.h).
 */
#include "common/testing/contract/attention_contract.h"

#include <string.h>

static const attention_claim *const groups[] = {
    size_claims,    mask_claims, limit_claims,  score_claims,
    variant_claims, bit_claims,  memory_claims,
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

/* What a test is about. */
typedef struct {
    const attention_claim *claim;
    attention_subject subject;
} question;

static void check_problems(const attention_claim *of,
                           const attention_subject *s)
{
    for (size_t k = 0; k < of->problems; k++) {
        attention_case c = case_of(of->of.Nq, of->of.Nk, of->of.d, of->of.dv);

        of->fill(&c, of->of.Nk);
        c.nth = k + 1;
        of->set_up(&c, k);
        check_tiled(s, &c);
        if (of->causal_too) {
            case_causal(&c, (long)c.h.Nk - (long)c.h.Nq);
            check_tiled(s, &c);
        }
        case_free(&c);
    }
}

static void the_step_keeps_the_claim(void **state)
{
    const question *q = *state;

    if (q->claim->ask)
        q->claim->ask(&q->subject);
    else
        check_problems(q->claim, &q->subject);
}

static question questions[MOST_CLAIMS + 1];
static size_t asked; /* since the last contract was run */

/* All claims that the step is not excused from, one way or the other. */
static void add_claims(attention_subject s, const attention_excuse *excuses)
{
    for (; excuses && excuses->step; excuses++)
        if (strcmp(excuses->step, name_of(&s)) == 0) {
            s.excused |= excuses->from;
            s.most_work = excuses->most_work;
        }
    for (size_t g = 0; g < GROUPS; g++)
        for (const attention_claim *c = groups[g]; c->name; c++)
            if (!(c->needs & s.excused)) {
                questions[asked] = (question){c, s};
                add_claim(name_of(&s), c->name, the_step_keeps_the_claim,
                          &questions[asked++]);
            }
}

int run_attention_tests(const char *name, const attention_step steps[],
                        const attention_excuse excuses[],
                        const struct CMUnitTest own[], size_t n)
{
    for (const attention_step *step = steps; step->name; step++) {
        attention_subject s = {.step = step, .excused = BACKWARD_ALONE};

        if (step->type != FP32)
            s.excused |= FP32_ALONE;
        if (!step->formula && !step->layer_formula)
            s.excused |= COUNTED_ALONE;
        if (!step->run_layer)
            s.excused |= HEADS_AT_ONCE;
        add_claims(s, excuses);
    }
    asked = 0;
    return run_contract(name, own, n);
}

int run_gradient_tests(const char *name, const attention_step steps[],
                       const attention_excuse excuses[],
                       const struct CMUnitTest own[], size_t n)
{
    for (const attention_step *step = steps; step->name; step++) {
        attention_subject s = {.backward = step, .excused = FORWARD_ALONE};

        if (!step->back_formula)
            s.excused |= COUNTED_ALONE;
        if (!step->back_heads)
            s.excused |= HEADS_AT_ONCE;
        add_claims(s, excuses);
    }
    asked = 0;
    return run_contract(name, own, n);
}
