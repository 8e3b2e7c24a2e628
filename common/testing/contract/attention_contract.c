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

static void *checked(void *block)
{
    if (!block) {
        fprintf(stderr, "attention_contract: no memory for the tests\n");
        exit(1);
    }
    return block;
}

typedef struct {
    struct CMUnitTest *tests;
    size_t count;
} test_list;

static void add_test(test_list *list, struct CMUnitTest test)
{
    size_t size = (list->count + 1) * sizeof test;

    list->tests = checked(realloc(list->tests, size));
    list->tests[list->count++] = test;
}

static void add_claim(test_list *list, const attention_claim *claim,
                      const attention_subject *s)
{
    const char *step = name_of(s);
    size_t size = strlen(step) + strlen(claim->name) + sizeof ": ";
    char *name = checked(malloc(size));
    question *q = checked(malloc(sizeof *q));

    snprintf(name, size, "%s: %s", step, claim->name);
    *q = (question){claim, *s};
    add_test(list, (struct CMUnitTest){.name = name,
                                       .test_func = the_step_keeps_the_claim,
                                       .initial_state = q});
}

/* All claims that the step is not excused from, one way or the other. */
static void add_claims(test_list *list, attention_subject s,
                       const attention_excuse *excuses)
{
    for (; excuses && excuses->step; excuses++)
        if (strcmp(excuses->step, name_of(&s)) == 0) {
            s.excused |= excuses->from;
            s.most_work = excuses->most_work;
        }
    for (size_t g = 0; g < GROUPS; g++)
        for (const attention_claim *c = groups[g]; c->name; c++)
            if (!(c->needs & s.excused))
                add_claim(list, c, &s);
}

/* The claims, then n tests of the chapter's own. */
static int run_list(const char *name, test_list *list,
                    const struct CMUnitTest own[], size_t n)
{
    size_t claims = list->count;
    int status;

    for (size_t i = 0; i < n; i++)
        add_test(list, own[i]);
    status = run_test_array(name, list->tests, list->count);
    for (size_t i = 0; i < claims; i++) {
        free((char *)list->tests[i].name);
        free(list->tests[i].initial_state);
    }
    free(list->tests);
    return status;
}

int run_attention_tests(const char *name, const attention_step steps[],
                        const attention_excuse excuses[],
                        const struct CMUnitTest own[], size_t n)
{
    test_list list = {0};

    for (const attention_step *step = steps; step->name; step++) {
        attention_subject s = {.step = step, .excused = BACKWARD_ALONE};

        if (step->type != FP32)
            s.excused |= FP32_ALONE;
        if (!step->formula && !step->layer_formula)
            s.excused |= COUNTED_ALONE;
        if (!step->run_layer)
            s.excused |= HEADS_AT_ONCE;
        add_claims(&list, s, excuses);
    }
    return run_list(name, &list, own, n);
}

int run_gradient_tests(const char *name, const backward_step steps[],
                       const attention_excuse excuses[],
                       const struct CMUnitTest own[], size_t n)
{
    test_list list = {0};

    for (const backward_step *step = steps; step->name; step++) {
        attention_subject s = {.backward = step, .excused = FORWARD_ALONE};

        if (!step->formula)
            s.excused |= COUNTED_ALONE;
        if (!step->run_heads)
            s.excused |= HEADS_AT_ONCE;
        add_claims(&list, s, excuses);
    }
    return run_list(name, &list, own, n);
}
