/*
 * The list of claims, made into tests (attention_contract.h).
 */
#include "common/testing/contract/attention_contract.h"

#include <string.h>

static const attention_claim *const groups[] = {
    size_claims, mask_claims, limit_claims,  score_claims,
    law_claims,  bit_claims,  memory_claims, variant_claims,
};
#define GROUPS (sizeof groups / sizeof groups[0])

/* Tests, and what they point to. */
typedef struct {
    struct CMUnitTest *test;
    size_t count, capacity;
} test_list;

static void *checked(void *block)
{
    if (!block) {
        fprintf(stderr, "attention_contract: no memory for the tests\n");
        exit(1);
    }
    return block;
}

static void add_test(test_list *list, struct CMUnitTest test)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity * 2 + 64;
        list->test =
            checked(realloc(list->test, list->capacity * sizeof *list->test));
    }
    list->test[list->count++] = test;
}

static void add_claim(test_list *list, const attention_claim *claim,
                      attention_subject *subject)
{
    const char *step = subject->step->name;
    size_t size = strlen(step) + strlen(claim->name) + sizeof ": ";
    char *name = checked(malloc(size));

    snprintf(name, size, "%s: %s", step, claim->name);
    add_test(list, (struct CMUnitTest){.name = name,
                                       .test_func = claim->run,
                                       .initial_state = subject});
}

static attention_subject subject_of(const attention_step *step,
                                    const attention_excuse *excuse)
{
    attention_subject subject = {.step = step};

    for (; excuse && excuse->step; excuse++)
        if (strcmp(excuse->step, step->name) == 0) {
            subject.excused |= excuse->from;
            subject.most_work = excuse->most_work;
        }
    if (step->type != FP32)
        subject.excused |= FP32_ALONE;
    if (!step->formula && !step->layer_formula)
        subject.excused |= COUNTED_ALONE;
    if (!step->run_layer)
        subject.excused |= HEADS_AT_ONCE;
    return subject;
}

int run_attention_tests(const char *name, const attention_step steps[],
                        const attention_excuse excuses[],
                        const struct CMUnitTest own[], size_t n)
{
    test_list list = {0};
    attention_subject *subjects;
    size_t count = 0, claims;
    int status;

    while (steps[count].name)
        count++;
    subjects = checked(malloc((count + 1) * sizeof *subjects));

    for (size_t i = 0; i < count; i++) {
        subjects[i] = subject_of(&steps[i], excuses);
        for (size_t g = 0; g < GROUPS; g++)
            for (const attention_claim *c = groups[g]; c->name; c++)
                if (!(c->needs & subjects[i].excused))
                    add_claim(&list, c, &subjects[i]);
    }
    claims = list.count;
    for (size_t i = 0; i < n; i++)
        add_test(&list, own[i]);

    status = run_test_array(name, list.test, list.count);

    for (size_t i = 0; i < claims; i++)
        free((char *)list.test[i].name);
    free(list.test);
    free(subjects);
    return status;
}
