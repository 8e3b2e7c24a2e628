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
    const attention_subject *subject;
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
        q->claim->ask(q->subject);
    else
        check_problems(q->claim, q->subject);
}

static void *checked(void *block)
{
    if (!block) {
        fprintf(stderr, "attention_contract: no memory for the tests\n");
        exit(1);
    }
    return block;
}

static struct CMUnitTest test_of(const attention_claim *claim,
                                 const attention_subject *subject)
{
    const char *step = name_of(subject);
    size_t size = strlen(step) + strlen(claim->name) + sizeof ": ";
    char *name = checked(malloc(size));
    question *q = checked(malloc(sizeof *q));

    snprintf(name, size, "%s: %s", step, claim->name);
    *q = (question){claim, subject};
    return (struct CMUnitTest){.name = name,
                               .test_func = the_step_keeps_the_claim,
                               .initial_state = q};
}

static void excuse(attention_subject *s, const attention_excuse *excuses)
{
    for (; excuses && excuses->step; excuses++)
        if (strcmp(excuses->step, name_of(s)) == 0) {
            s->excused |= excuses->from;
            s->most_work = excuses->most_work;
        }
}

/* The subjects' claims, then n tests of the chapter's own. */
static int run_claims(const char *name, attention_subject subjects[],
                      size_t count, const attention_excuse excuses[],
                      const struct CMUnitTest own[], size_t n)
{
    size_t claims = 0, asked = 0;
    struct CMUnitTest *tests;
    int status;

    for (size_t g = 0; g < GROUPS; g++)
        for (const attention_claim *c = groups[g]; c->name; c++)
            claims++;
    tests = checked(malloc((count * claims + n) * sizeof *tests + 1));
    for (size_t i = 0; i < count; i++) {
        excuse(&subjects[i], excuses);
        for (size_t g = 0; g < GROUPS; g++)
            for (const attention_claim *c = groups[g]; c->name; c++)
                if (!(c->needs & subjects[i].excused))
                    tests[asked++] = test_of(c, &subjects[i]);
    }
    memcpy(tests + asked, own, n * sizeof *own);

    status = run_test_array(name, tests, asked + n);

    for (size_t i = 0; i < asked; i++) {
        free((char *)tests[i].name);
        free(tests[i].initial_state);
    }
    free(tests);
    free(subjects);
    return status;
}

int run_attention_tests(const char *name, const attention_step steps[],
                        const attention_excuse excuses[],
                        const struct CMUnitTest own[], size_t n)
{
    attention_subject *subjects;
    size_t count = 0;

    while (steps[count].name)
        count++;
    subjects = checked(calloc(count + 1, sizeof *subjects));
    for (size_t i = 0; i < count; i++) {
        const attention_step *step = &steps[i];
        bool counted = step->formula || step->layer_formula;

        subjects[i].step = step;
        subjects[i].excused = BACKWARD_ALONE |
                              (step->type != FP32 ? FP32_ALONE : 0) |
                              (counted ? 0 : COUNTED_ALONE) |
                              (step->run_layer ? 0 : HEADS_AT_ONCE);
    }
    return run_claims(name, subjects, count, excuses, own, n);
}

int run_gradient_tests(const char *name, const backward_step steps[],
                       const attention_excuse excuses[],
                       const struct CMUnitTest own[], size_t n)
{
    attention_subject *subjects;
    size_t count = 0;

    while (steps[count].name)
        count++;
    subjects = checked(calloc(count + 1, sizeof *subjects));
    for (size_t i = 0; i < count; i++) {
        subjects[i].backward = &steps[i];
        subjects[i].excused = FORWARD_ALONE |
                              (steps[i].formula ? 0 : COUNTED_ALONE) |
                              (steps[i].run_heads ? 0 : HEADS_AT_ONCE);
    }
    return run_claims(name, subjects, count, excuses, own, n);
}
