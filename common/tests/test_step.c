/*
 * Tests step_run: it allocates m, l and P, and merges a sink into all outputs
 * of the kernel. The kernel here is the reference.
 */
#include "common/step.h"

#include "common/judge/reference_attention.h"
#include "common/testing/assert_close.h"
#include "common/testing/attention_check.h"
#include "common/testing/run_tests.h"

enum { NQ = 6, NK = 9, DV = 12 };

static int attend(const head *h, memory *mem)
{
    head without_sink = *h;

    without_sink.rule.sink = NULL;
    return mem->error ? mem->error : reference_forward(&without_sink);
}

static counts nothing(const head *h, tile_sizes t)
{
    (void)h;
    (void)t;
    return (counts){.exps = 0};
}

/* The kernel's outputs; extra HBM, and a sink's traffic, if each query sees all
 * keys. */
static const struct {
    attention_step step;
    size_t extra, sink;
} kernels[] = {
    {{.name = "L", .run = attend, .formula = nothing}, 0, NQ *(DV + 1)},
    {{.name = "m, l", .run = attend, .formula = nothing, .leaves = LEAVES_M_L},
     2 * NQ,
     NQ *(DV + 3)},
    {{.name = "P", .run = attend, .formula = nothing, .leaves = LEAVES_P},
     NQ *NK,
     NQ *(DV + 1 + NK)},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* m, l and P of the float64 softmax with the sink among its scores. */
static void check_state(const attention_case *c, step_leaves leaves)
{
    for (size_t i = 0; i < NQ; i++) {
        double p[NK], m, l;

        reference_weights(&c->h, i, p, &m, &l);
        if (leaves == LEAVES_M_L) {
            assert_close(*row(c->h.m.hbm, i), m, 0);
            assert_close(*row(c->h.l.hbm, i), l, 1e-6 * l);
        }
        if (leaves == LEAVES_P)
            assert_all_close(row(c->h.P.hbm, i), p, NK, 1e-6);
    }
}

/* Causal with offset -2: queries 0 and 1 see no key. */
TEST(a_sink_is_merged_into_all_that_a_kernel_leaves)
{
    static const float sinks[] = {-200, -1, 0, 4, 200};

    for (size_t k = 0; k < KERNELS * 5 * 2; k++) {
        const attention_step *step = &kernels[k % KERNELS].step;
        auto_case c = case_of(NQ, NK, 2, DV);

        case_exact(&c, k);
        case_backward(&c); /* room for m, l and P */
        c.h.rule.sink = &sinks[k / KERNELS % 5];
        if (k >= KERNELS * 5)
            case_causal(&c, -2);
        check_case(step, &c);
        check_state(&c, step->leaves);
    }
}

static void assert_sink_moves(counts c, size_t n)
{
    assert_int_equal(c.read[SINK], n);
    assert_int_equal(c.written[SINK], n);
    assert_int_equal(counts_crossed(c), 2 * n);
}

/* Causal with offset 0: of P the lower triangle. */
TEST(a_sink_moves_what_its_formula_says)
{
    static const float sink = 1;

    for (size_t k = 0; k < KERNELS * 2; k++) {
        attention_step step = kernels[k / 2].step;
        auto_case c = case_of(NQ, NK, 2, DV);
        size_t n = kernels[k / 2].sink;

        case_exact(&c, 1);
        assert_sink_moves(sink_traffic(&step, &c.h), 0);
        assert_int_equal(sink_traffic(&step, &c.h).exps, 0);
        c.h.rule.sink = &sink;
        if (k % 2) {
            case_causal(&c, 0);
            if (step.leaves == LEAVES_P)
                n -= NQ * NK - NQ * (NQ + 1) / 2;
        }
        assert_sink_moves(step_formula(&step, &c.h, c.M), n);
        case_run(&c, &step);
        assert_sink_moves(c.counts, n);
        step.formula = NULL; /* then nothing is counted */
        case_run(&c, &step);
        assert_sink_moves(c.counts, 0);
    }
}

TEST(a_step_without_tiles_has_tiles_of_0)
{
    tile_sizes t = step_tiles(&kernels[0].step, NULL, 99);

    assert_true(t.Br == 0 && t.Bc == 0);
}

/* Either way it is counted as extra memory. */
TEST(m_l_and_P_are_the_callers_or_new)
{
    for (size_t k = 0; k < KERNELS * 2; k++) {
        auto_case c = case_of(NQ, NK, 2, DV);

        case_exact(&c, 1);
        if (k % 2)
            case_backward(&c);
        case_run(&c, &kernels[k / 2].step);
        assert_int_equal(c.extra, kernels[k / 2].extra);
        if (k % 2)
            check_state(&c, kernels[k / 2].step.leaves);
    }
}
