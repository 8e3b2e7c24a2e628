/* Runs the tests for each step (attention_contract.h). */
#include "common/testing/contract/attention_contract.h"

#include <string.h>

static const attention_test *const groups[] = {
    size_tests,    mask_tests, limit_tests,  score_tests,
    variant_tests, bit_tests,  memory_tests,
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

typedef struct {
    const attention_test *test;
    const attention_step *step;
    attention_excuse excuse;
} step_test;

static const step_test *running;

bool is_excused(unsigned from)
{
    return running->excuse.from & from;
}

size_t one_in_if_slow(size_t n)
{
    return running->excuse.most_work || is_short() ? one_in(n) : 1;
}

bool too_much(size_t Nq, size_t Nk, size_t d, size_t dv)
{
    size_t most = running->excuse.most_work, widest = running->excuse.widest;

    return (most != 0 && Nq * Nk * (d + dv) > most) ||
           (widest != 0 && (d > widest || dv > widest));
}

static bool is_long(const attention_test *of)
{
    return of->shapes && of->problems > 9;
}

/* Also checks the problem causally if the test has causal_too. */
static void check_problem(const attention_test *of, const attention_step *s,
                          attention_case *c)
{
    bool few_tiles = !of->tiles || (is_long(of) && is_short());

    for (int causal = 0; causal <= of->causal_too; causal++) {
        if (causal)
            case_causal(c, (long)c->h.Nk - (long)c->h.Nq);
        c->M = MEMORY_UNBOUNDED;
        case_expect(c, s);
        check_runs(s, c, few_tiles ? six_sizes : of->tiles);
    }
}

static void check_problems(const attention_test *of, const attention_step *s)
{
    for (size_t k = 0; k < of->problems;
         k += is_long(of) ? one_in_if_slow(2) : 1) {
        const size_t *shape = of->shapes ? of->shapes[k] : of->of;
        size_t Nq = shape[0], Nk = shape[1], d = shape[2], dv = shape[3];

        if (of->shapes && too_much(Nq, Nk, d, dv))
            continue;
        auto_case c = case_of(Nq, Nk, d, dv);

        of->fill(&c, Nk);
        c.nth = k + 1;
        if (of->set_up)
            of->set_up(&c, k);
        check_problem(of, s, &c);
    }
}

static void check_step_test(void **state)
{
    running = *state;
    if (running->test->check)
        running->test->check(running->step);
    else
        check_problems(running->test, running->step);
}

/* Returns the flags of needs that a step of this kind does not meet. */
static unsigned excused_by_kind(const attention_step *s)
{
    unsigned from = is_backward(s) ? FORWARD_ALONE : BACKWARD_ALONE;

    if (s->type != FP32 && !is_backward(s))
        from |= FP32_ALONE;
    if (is_backward(s) ? !backward_of(s)->formula : !is_counted(s))
        from |= COUNTED_ALONE;
    if (is_backward(s) ? !backward_of(s)->run_heads : !s->run_layer)
        from |= HEADS_AT_ONCE;
    return from;
}

int run_attention_tests(const char *name, const attention_step steps[],
                        const attention_excuse excuses[])
{
    static step_test tests[MOST_TESTS + 1];
    size_t n = 0;

    for (const attention_step *s = steps; s->name; s++) {
        attention_excuse all = {s->name, excused_by_kind(s), 0, 0};

        for (const attention_excuse *e = excuses; e && e->step; e++)
            if (strcmp(e->step, s->name) == 0) {
                all.from |= e->from;
                all.most_work = e->most_work;
                all.widest = e->widest;
            }
        for (size_t g = 0; g < GROUPS; g++)
            for (const attention_test *c = groups[g]; c->name; c++)
                if (!(c->needs & all.from)) {
                    tests[n] = (step_test){c, s, all};
                    add_named_test(s->name, c->name, check_step_test,
                                   &tests[n++]);
                }
    }
    return run_tests(name);
}

int run_backward_tests(const char *name, const backward_step steps[],
                       const attention_excuse excuses[])
{
    static attention_step all[MOST_TESTED + 1];

    for (size_t k = 0; steps[k].name; k++) /* tested() has the same limit */
        all[k] = *tested(&steps[k]);
    return run_attention_tests(name, all, excuses);
}
