/*
 * The list of claims, made into tests (attention_contract.h).
 */
#include "common/testing/contract/attention_contract.h"

#include <string.h>

/* The claims that both ways keep, then those of one of them. */
static const attention_claim *const forward_groups[] = {
    size_claims, mask_claims,   limit_claims,   score_claims, law_claims,
    bit_claims,  memory_claims, variant_claims, NULL,
};
static const attention_claim *const backward_groups[] = {
    size_claims,
    mask_claims,
    limit_claims,
    score_claims,
    variant_claims,
    gradient_claims,
    gradient_law_claims,
    gradient_memory_claims,
    NULL,
};

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

static const char *name_of(const attention_subject *s)
{
    return s->step ? s->step->name : s->backward->name;
}

static void add_claim(test_list *list, const attention_claim *claim,
                      attention_subject *subject)
{
    const char *step = name_of(subject);
    size_t size = strlen(step) + strlen(claim->name) + sizeof ": ";
    char *name = checked(malloc(size));

    snprintf(name, size, "%s: %s", step, claim->name);
    add_test(list, (struct CMUnitTest){.name = name,
                                       .test_func = claim->run,
                                       .initial_state = subject});
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
                      size_t count, const attention_claim *const groups[],
                      const attention_excuse excuses[],
                      const struct CMUnitTest own[], size_t n)
{
    test_list list = {0};
    size_t claims;
    int status;

    for (size_t i = 0; i < count; i++) {
        excuse(&subjects[i], excuses);
        for (size_t g = 0; groups[g]; g++)
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
        subjects[i].step = &steps[i];
        if (steps[i].type != FP32)
            subjects[i].excused |= FP32_ALONE;
        if (!steps[i].formula && !steps[i].layer_formula)
            subjects[i].excused |= COUNTED_ALONE;
        if (!steps[i].run_layer)
            subjects[i].excused |= HEADS_AT_ONCE;
    }
    return run_claims(name, subjects, count, forward_groups, excuses, own, n);
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
        subjects[i].excused = FORWARD_ALONE;
        if (!steps[i].formula)
            subjects[i].excused |= COUNTED_ALONE;
        if (!steps[i].run_heads)
            subjects[i].excused |= HEADS_AT_ONCE;
    }
    return run_claims(name, subjects, count, backward_groups, excuses, own, n);
}
