/* Tests that step_run allocates m, l and P. */
#include "common/step.h"

#include "common/judge/reference_attention.h"
#include "common/testing/assert_close.h"
#include "common/testing/attention_check.h"
#include "common/testing/run_tests.h"

enum { NQ = 6, NK = 9, DV = 12 };

static int attend(const head *h, memory *mem)
{
    return mem->error ? mem->error : reference_forward(h);
}

static const struct {
    attention_step step;
    size_t extra;
} kernels[] = {
    {{.name = "L", .run = attend}, 0},
    {{.name = "m, l", .run = attend, .leaves = LEAVES_M_L}, 2 * NQ},
    {{.name = "P", .run = attend, .leaves = LEAVES_P}, NQ *NK},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

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

TEST(a_step_without_tiles_has_tiles_of_0)
{
    tile_sizes t = step_tiles(&kernels[0].step, NULL, 99);

    assert_true(t.Br == 0 && t.Bc == 0);
}

/* Arrays of the caller and new arrays count as extra memory. */
TEST(m_l_and_P_of_the_caller_are_used_or_new_ones_allocated)
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
