/* Tests the forward and backward steps of chapters 04 to 06 with a sink, except
 * mla and the AMX steps. The reference is float64. */
#include "06_flash2/variants/sink.h"

#include <math.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/backward/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/variants/steps.h"
#include "common/judge/reference_attention.h"
#include "common/judge/reference_gradients.h"
#include "common/lesson/attention/measure.h"
#include "common/testing/assert_close.h"
#include "common/testing/attention_check.h"
#include "common/testing/run_tests.h"

static const attention_step *const forward[] = {
    chapter_04_steps, chapter_05_steps, chapter_06_steps, chapter_06_variants};
static const backward_step *const backward[] = {chapter_05_backward,
                                                chapter_06_backward};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const float sinks[] = {-1e30f, -200, -3, 0, 2.5f, 30, 1e5f};
enum { SINKS = COUNT(sinks), NQ = 20, NK = 33 };

static attention_case case_of_kind(size_t kind)
{
    attention_case c = case_of(NQ, NK, 4, 3);

    case_random(&c, NK);
    case_rules(&c, kind, 5 - 3 * (long)kind); /* some queries see no key */
    return c;
}

static bool takes_any_head(const attention_step *s)
{
    return s->run != mla;
}

/* --- Forward -------------------------------------------------------------- */

static void expect_sink(attention_case *c, const attention_step *s, float z)
{
    case_expect(c, s);
    reference_add_sink((double)z, c->h.Nq, c->h.dv, c->O, c->L);
}

static void check_step_with(const attention_step *s, attention_case *c, float z)
{
    layer one = layer_of(&c->h);
    step_with_sinks wrapped;

    expect_sink(c, s, z);
    add_sinks(&wrapped, s, &one, &z);
    check_runs(&wrapped.step, c, six_sizes);
}

TEST(a_sink_changes_O_and_L)
{
    for (size_t k = 0; k < COUNT(forward); k++)
        for (const attention_step *s = forward[k]; s->name; s++)
            for (size_t n = 0; n < RULE_KINDS * SINKS && takes_any_head(s);
                 n += is_short() ? 5 : 1) {
                auto_case c = case_of_kind(n % RULE_KINDS);

                check_step_with(s, &c, sinks[n / RULE_KINDS]);
            }
}

/* The sink has weight 1, and 34 equal keys have small weights. In a sum that
 * begins with the sink, each addition is rounded in the same direction. */
TEST(equal_keys_with_a_sink_are_within_the_tolerance)
{
    for (size_t k = 0; k < COUNT(forward); k++)
        for (const attention_step *s = forward[k]; s->name; s++) {
            auto_case few = case_of_scores(1, 34, 1);
            auto_case many = case_of_scores(1, 34, 1);

            fill(few.h.K.hbm, -4.5825f);
            fill(many.h.K.hbm, -12.704f);
            if (takes_any_head(s)) {
                check_step_with(s, &few, 0);
                check_step_with(s, &many, 0);
            }
        }
}

/* --- All heads, and the traffic ------------------------------------------- */

static void assert_same_traffic(const counts *a, const counts *b)
{
    for (size_t k = 0; k < ACCOUNTS; k++) {
        assert_int_equal(a->read[k], b->read[k]);
        assert_int_equal(a->written[k], b->written[k]);
    }
}

/* Returns the elements read for a head's sink, with a causal limit. */
static size_t moved_for_sink(const attention_step *s, size_t dv)
{
    size_t n = NQ * (dv + 1);

    if (s->leaves == LEAVES_M_L)
        n += 2 * NQ;
    return s->leaves == LEAVES_P ? n + NQ * NK - NQ * (NQ - 1) / 2 : n;
}

TEST(each_query_head_has_its_sink_and_the_formula_counts_it)
{
    static const float of_heads[] = {1, -2, 0.5f, 3, -1, 2};
    const problem_sizes sizes = {2, 6, 3, NQ, NK, 5, 4, 1};

    for (size_t k = 0; k < COUNT(forward); k++)
        for (const attention_step *s = forward[k]; s->name; s++) {
            step_with_sinks wrapped;
            measurement m;
            problem p;

            problem_random(&p, &sizes);
            p.layer.each.rule.causal = true;
            p.layer.each.rule.offset = NK - NQ;
            p.sinks = of_heads;
            add_sinks(&wrapped, s, &p.layer, of_heads);
            if (takes_any_head(s)) {
                measure_runs(&m, &p, &wrapped.step, 1, true);
                assert_int_equal(p.status, 0);
                assert_true(m.error < 1e-6);
                assert_same_traffic(&m.counted, &m.formula);
                assert_int_equal(m.counted.read[AFTER],
                                 is_counted(s) ? 12 * moved_for_sink(s, 4) : 0);
            }
            problem_free(&p);
        }
}

/* --- m, l, P and the gradients -------------------------------------------- */

static void check_state(const attention_case *c, const attention_step *s,
                        double z)
{
    for (size_t i = 0; i < NQ; i++) {
        double p[NK], m, l, share, m_sink;

        reference_weights(&c->h, i, p, &m, &l);
        share = share_with_sink(m + log(l), z);
        m_sink = fmax(m, z);
        if (s->leaves == LEAVES_M_L) {
            l = (l == 0 ? 0 : l * exp(m - m_sink)) + exp(z - m_sink);
            assert_close(*row(c->h.m.hbm, i), m_sink, 1e-5);
            assert_close(*row(c->h.l.hbm, i), l, 1e-5 * l);
        }
        for (size_t j = 0; j < NK && s->leaves == LEAVES_P; j++)
            if (p[j] != 0)
                assert_close(row(c->h.P.hbm, i)[j], share * p[j], 1e-5);
    }
}

static void check_backward(const backward_step *s, attention_case *c, float z)
{
    layer one;
    step_with_sinks wrapped;
    memory mem;

    expect_gradients(c);
    assert_true(reference_gradients(&c->g, (double)z, c->dQ, c->dK, c->dV) >=
                0);
    one = layer_of(&c->h);
    add_sinks(&wrapped, s->forward, &one, &z);
    memory_init(&mem, MEMORY_UNBOUNDED);
    assert_int_equal(step_run(&wrapped.step, &c->h, &mem), 0);
    memory_reset(&mem);
    check_state(c, s->forward, (double)z);
    case_run(c, tested(s));
    case_check(c, tested(s));
    if (z > 1e4f) /* all weights are 0 */
        for (size_t k = 0; k < NQ * c->h.d; k++)
            assert_true(c->g.dQ.hbm.data[k] == 0);
}

TEST(the_gradients_contain_the_sink)
{
    for (size_t k = 0; k < COUNT(backward); k++)
        for (const backward_step *s = backward[k]; s->name; s++)
            for (size_t n = 0; n < RULE_KINDS * SINKS; n++) {
                auto_case c = case_of_kind(n % RULE_KINDS);

                check_backward(s, &c, sinks[n / RULE_KINDS]);
            }
}
