/*
 * The list of claims, made into tests (gradient_contract.h).
 */
#include "common/testing/contract/gradient_contract.h"

#include <string.h>

static const gradient_claim *const groups[] = {
    gradient_size_claims,   gradient_mask_claims,    gradient_law_claims,
    gradient_memory_claims, gradient_variant_claims,
};
#define GROUPS (sizeof groups / sizeof groups[0])

enum { MOST_TESTS = 400, MOST_STEPS = 8 };

static struct CMUnitTest tests[MOST_TESTS];
static char names[MOST_TESTS][120];
static gradient_subject subjects[MOST_STEPS];

static gradient_subject subject_of(const backward_step *step,
                                   const gradient_excuse *excuse)
{
    gradient_subject subject = {.step = step};

    for (; excuse && excuse->step; excuse++)
        if (strcmp(excuse->step, step->name) == 0)
            subject.excused |= excuse->from;
    if (!step->formula)
        subject.excused |= COUNTED;
    if (!step->run_heads)
        subject.excused |= ALL_HEADS;
    return subject;
}

static size_t add_test(size_t count, struct CMUnitTest test)
{
    if (count == MOST_TESTS) {
        fprintf(stderr, "gradient_contract: more than %d tests\n", MOST_TESTS);
        exit(1);
    }
    tests[count] = test;
    return count + 1;
}

static size_t add_claims(size_t count, gradient_subject *subject)
{
    for (size_t g = 0; g < GROUPS; g++)
        for (const gradient_claim *c = groups[g]; c->name; c++) {
            if (c->needs & subject->excused)
                continue;
            count = add_test(
                count, (struct CMUnitTest){.name = names[count % MOST_TESTS],
                                           .test_func = c->run,
                                           .initial_state = subject});
            snprintf(names[count - 1], sizeof names[0], "%s: %s",
                     subject->step->name, c->name);
        }
    return count;
}

int run_gradient_tests(const char *name, const backward_step steps[],
                       const gradient_excuse excuses[],
                       const struct CMUnitTest own[], size_t n)
{
    size_t count = 0;

    for (size_t k = 0; steps[k].name; k++) {
        if (k == MOST_STEPS) {
            fprintf(stderr, "gradient_contract: more than %d steps\n",
                    MOST_STEPS);
            return 1;
        }
        subjects[k] = subject_of(&steps[k], excuses);
        count = add_claims(count, &subjects[k]);
    }
    for (size_t k = 0; k < n; k++)
        count = add_test(count, own[k]);
    return run_test_array(name, tests, count);
}
