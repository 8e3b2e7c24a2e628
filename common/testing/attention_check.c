/*
 * Running and judging one case (attention_check.h).
 */
#include "common/testing/attention_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/judge/reference_attention.h"
#include "common/testing/assert_close.h"

void print_problem(const attention_case *c, const attention_step *s)
{
    const head *h = &c->h;

    print_error("%s: Nq %zu, Nk %zu, d %zu, dv %zu", s->name, h->Nq, h->Nk,
                h->d, h->dv);
    if (s->tiles && h->tile.Br && h->tile.Bc)
        print_error(", Br %zu, Bc %zu", h->tile.Br, h->tile.Bc);
    else if (s->tiles)
        print_error(", M %zu", c->M);
    print_error(", scale %g", (double)h->scale);
    if (h->rule.softcap > 0)
        print_error(", softcap %g", (double)h->rule.softcap);
    if (h->rule.slope > 0)
        print_error(", slope %g", (double)h->rule.slope);
    if (h->rule.mask.hbm.data)
        print_error(", a mask");
    if (h->rule.causal)
        print_error(", causal");
    if (h->rule.causal || h->rule.window)
        print_error(", offset %ld", h->rule.offset);
    if (h->rule.window)
        print_error(", window %zu", h->rule.window);
    if (h->rule.sink)
        print_error(", a sink of %g", (double)*h->rule.sink);
    if (h->rule.blocks.of.data)
        print_error(", blocks of %zu", h->rule.blocks.size);
    if (c->nth)
        print_error(", problem %zu of this claim", c->nth);
    print_error("\n");
}

int case_try(attention_case *c, const attention_step *s, memory *mem)
{
    if (!is_backward(s))
        return step_run(s, &c->h, mem);
    c->g.h = c->h;
    return step_run_back(s, &c->g, 1, mem);
}

void case_run(attention_case *c, const attention_step *s)
{
    matrix outputs[] = {c->h.O.hbm, c->h.L.hbm, c->g.dQ.hbm, c->g.dK.hbm,
                        c->g.dV.hbm};
    size_t first = !is_backward(s) ? 0 : 2;
    size_t end = !is_backward(s) ? 2
                 : c->g.add      ? 3
                                 : 5; /* dK, dV are added to */
    memory mem;
    int error;

    for (size_t k = first; k < end; k++)
        fill(outputs[k], NAN);
    memory_init(&mem, c->M);
    error = case_try(c, s, &mem);
    c->counts = mem.counts;
    c->on_chip = mem.on_chip;
    c->scratch = mem.scratch;
    c->extra = mem.extra;
    if (error) {
        print_problem(c, s);
        print_error("refused: %.159s\n", mem.message);
    }
    memory_reset(&mem);
    assert_int_equal(error, MEMORY_OK);
}

attention_case case_after(const attention_step *step, size_t N, size_t d,
                          tile_sizes t)
{
    attention_case c = case_of(N, N, d, d);

    case_exact(&c, N);
    c.h.tile = t;
    case_run(&c, step);
    return c;
}

counts counts_of(const attention_step *step, size_t N, size_t d, tile_sizes t)
{
    attention_case c = case_after(step, N, d, t);

    case_free(&c);
    return c.counts;
}

/* Is each element what is wanted, within absolute + relative |want|? */
static void check_elements(const attention_case *c, const attention_step *s,
                           const char *what, matrix got, const double *want,
                           double absolute, double relative)
{
    for (size_t i = 0; i < got.rows; i++)
        for (size_t k = 0; k < got.cols; k++) {
            double x = (double)row(got, i)[k], y = want[i * got.cols + k];
            double tolerance = absolute + relative * fabs(y);
            char name[64];

            if (is_close_or_nan(x, y, tolerance))
                continue;
            print_problem(c, s);
            snprintf(name, sizeof name, "%s[%zu][%zu]", what, i, k);
            assert_close_at(x, y, tolerance, name, __FILE__, __LINE__);
        }
}

/* Is row i 0, exactly? */
static void check_zeros(const attention_case *c, const attention_step *s,
                        const char *what, matrix got, size_t i)
{
    for (size_t k = 0; k < got.cols; k++)
        if (!(row(got, i)[k] == 0)) {
            print_problem(c, s);
            fail_msg("%s[%zu][%zu] is %g, want 0 exactly", what, i, k,
                     (double)row(got, i)[k]);
        }
}

static bool somebody_attends_to(const head *h, size_t j)
{
    for (size_t i = 0; i < h->Nq; i++)
        if (visible(h, one(i), one(j)) && reference_score(h, i, j) != -HUGE_VAL)
            return true;
    return false;
}

/* Also of a query that attends to nothing, and a key that nobody attends to. */
static void check_gradients(const attention_case *c, const attention_step *s)
{
    const head *h = &c->h;

    check_elements(c, s, "dQ", c->g.dQ.hbm, c->dQ, c->dQ_tolerance, 0);
    check_elements(c, s, "dK", c->g.dK.hbm, c->dK, c->dK_tolerance, 0);
    check_elements(c, s, "dV", c->g.dV.hbm, c->dV, c->dV_tolerance, 0);
    for (size_t i = 0; i < h->Nq; i++)
        if (*row(h->L.hbm, i) == -INFINITY)
            check_zeros(c, s, "dQ", c->g.dQ.hbm, i);
    for (size_t j = 0; j < h->Nk && !c->g.add; j++)
        if (!somebody_attends_to(h, j)) {
            check_zeros(c, s, "dK", c->g.dK.hbm, j);
            check_zeros(c, s, "dV", c->g.dV.hbm, j);
        }
}

void case_check(const attention_case *c, const attention_step *s)
{
    if (is_backward(s)) {
        check_gradients(c, s);
        return;
    }
    check_elements(c, s, "O", c->h.O.hbm, c->O, c->O_tolerance, 0);
    check_elements(c, s, "L", c->h.L.hbm, c->L, c->L_tolerance, 0x1p-23);
    for (size_t i = 0; i < c->h.Nq; i++)
        if (c->L[i] == -HUGE_VAL)
            check_zeros(c, s, "O", c->h.O.hbm, i);
}

void check_case(const attention_step *s, attention_case *c)
{
    case_expect(c, s);
    case_run(c, s);
    case_check(c, s);
}

void check_runs(const attention_step *s, attention_case *c, tiles_fn *sizes)
{
    for (size_t k = 0; sizes(s, c, k); k++) {
        case_run(c, s);
        case_check(c, s);
    }
}

bool six_sizes(const attention_step *s, attention_case *c, size_t k)
{
    const tile_sizes sizes[] = {{1, 1},  {2, 3},  {5, 2},
                                {3, 16}, {17, 5}, {64, 64}};

    if (k >= (s->tiles ? sizeof sizes / sizeof sizes[0] : 1))
        return false;
    c->h.tile.Br = sizes[k].Br;
    c->h.tile.Bc = sizes[k].Bc;
    return true;
}

void check_tiled(const attention_step *s, attention_case *c)
{
    case_expect(c, s);
    check_runs(s, c, six_sizes);
}
