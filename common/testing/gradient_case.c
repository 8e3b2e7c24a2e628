/*
 * Building, running and judging a backward pass (gradient_case.h).
 */
#include "common/testing/gradient_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/judge/reference_attention.h"

gradient_case gradient_case_of(attention_case forward)
{
    head *h = &forward.h;
    gradient_case c = {
        .g = {.dO = forward.dO,
              .dQ = case_array(h->Nq, h->d),
              .dK = case_array(h->Nk, h->d),
              .dV = case_array(h->Nk, h->dv)},
        .dQ = case_block(h->Nq * h->d, sizeof *c.dQ),
        .dK = case_block(h->Nk * h->d, sizeof *c.dK),
        .dV = case_block(h->Nk * h->dv, sizeof *c.dV),
    };

    h->kept.P = case_array(h->Nq, h->Nk);
    h->kept.m = case_array(h->Nq, 1);
    h->kept.l = case_array(h->Nq, 1);
    c.forward = forward;
    c.forward.exact = false;
    return c;
}

void gradient_release(gradient_case *c)
{
    free(c->forward.h.kept.P.hbm.data);
    free(c->forward.h.kept.m.hbm.data);
    free(c->forward.h.kept.l.hbm.data);
    free(c->g.dQ.hbm.data);
    free(c->g.dK.hbm.data);
    free(c->g.dV.hbm.data);
    free(c->dQ);
    free(c->dK);
    free(c->dV);
}

void gradient_free(gradient_case *c)
{
    gradient_release(c);
    case_free(&c->forward);
}

static double largest_wanted(const double *x, size_t n)
{
    double most = 0;

    for (size_t e = 0; e < n; e++)
        most = larger_finite(most, x[e]);
    return most;
}

void gradient_expect(gradient_case *c)
{
    const head *h = &c->forward.h;
    double scale = fabs((double)h->scale), dP, t;
    size_t longer = h->Nq > h->Nk ? h->Nq : h->Nk;

    c->g.h = *h;
    dP = reference_forward(h) == 0
             ? reference_gradients(&c->g, c->dQ, c->dK, c->dV)
             : -1;
    if (!(dP >= 0)) {
        fprintf(stderr, "gradient_case: no memory for float64\n");
        exit(1);
    }
    t = fmax(1e-6, (double)longer * 0x1p-25) * rounding_of_scores(&c->forward);
    c->dQ_tolerance = t * fmax(largest_wanted(c->dQ, h->Nq * h->d),
                               scale * dP * largest_value(h->K.hbm));
    c->dK_tolerance = t * fmax(largest_wanted(c->dK, h->Nk * h->d),
                               scale * dP * largest_value(h->Q.hbm));
    c->dV_tolerance = 2 * t * largest_wanted(c->dV, h->Nk * h->dv);
}

void gradient_run(gradient_case *c, const attention_subject *s)
{
    memory mem;
    int error;

    c->g.h = c->forward.h;
    fill(c->g.dQ.hbm, NAN);
    if (!c->g.add) {
        fill(c->g.dK.hbm, NAN);
        fill(c->g.dV.hbm, NAN);
    }
    memory_init(&mem, c->forward.M);
    error = backward_step_run(s->backward, &c->g, &mem);
    c->counts = mem.counts;
    c->on_chip = mem.on_chip;
    c->scratch = mem.scratch;
    c->extra = mem.extra;
    if (error) {
        print_problem(&c->forward, s);
        print_error("refused: %s\n", mem.message);
    }
    memory_reset(&mem);
    assert_int_equal(error, MEMORY_OK);
}

static bool somebody_attends_to(const head *h, size_t j)
{
    for (size_t i = 0; i < h->Nq; i++)
        if (sees(h, i, j) && reference_score(h, i, j) != -HUGE_VAL)
            return true;
    return false;
}

/* Of a query that attends to nothing, and of a key that nobody attends to. */
static void check_zero_rows(const gradient_case *c, const attention_subject *s)
{
    const attention_case *f = &c->forward;
    const head *h = &f->h;

    for (size_t i = 0; i < h->Nq; i++)
        if (*row(h->L.hbm, i) == -INFINITY)
            check_zeros(f, s, "dQ", c->g.dQ.hbm, i);
    for (size_t j = 0; j < h->Nk && !c->g.add; j++)
        if (!somebody_attends_to(h, j)) {
            check_zeros(f, s, "dK", c->g.dK.hbm, j);
            check_zeros(f, s, "dV", c->g.dV.hbm, j);
        }
}

void gradient_check(const gradient_case *c, const attention_subject *s)
{
    const attention_case *f = &c->forward;

    check_elements(f, s, "dQ", c->g.dQ.hbm, c->dQ, c->dQ_tolerance, 0);
    check_elements(f, s, "dK", c->g.dK.hbm, c->dK, c->dK_tolerance, 0);
    check_elements(f, s, "dV", c->g.dV.hbm, c->dV, c->dV_tolerance, 0);
    check_zero_rows(c, s);
}

/* --- As the step that is asked goes --------------------------------------- */

void either_expect(gradient_case *c, const attention_subject *s)
{
    if (s->step)
        case_expect(&c->forward, s);
    else
        gradient_expect(c);
}

/* Forward without P, m and l of the caller's: a step makes what it needs. */
void either_run(gradient_case *c, const attention_subject *s)
{
    attention_case alone = c->forward;

    if (!s->step) {
        gradient_run(c, s);
        return;
    }
    memset(&alone.h.kept, 0, sizeof alone.h.kept);
    case_run(&alone, s);
    c->counts = c->forward.counts = alone.counts;
    c->on_chip = c->forward.on_chip = alone.on_chip;
    c->extra = c->forward.extra = alone.extra;
}

void either_check(const gradient_case *c, const attention_subject *s)
{
    if (s->step)
        case_check(&c->forward, s);
    else
        gradient_check(c, s);
}

void check_gradients(const attention_subject *s, gradient_case *c)
{
    gradient_expect(c);
    gradient_run(c, s);
    gradient_check(c, s);
}

static void check_each_way(const attention_subject *s, gradient_case *c,
                           tiles_fn *next)
{
    either_expect(c, s);
    for (size_t k = 0; next(s, &c->forward, k); k++) {
        either_run(c, s);
        either_check(c, s);
    }
}

void check_either(const attention_subject *s, gradient_case *c)
{
    check_each_way(s, c, six_sizes);
}

void check_each(const attention_subject *s, attention_case *c, tiles_fn *next)
{
    gradient_case g;

    if (s->step) {
        case_expect(c, s);
        check_runs(s, c, next);
        return;
    }
    g = gradient_case_of(*c);
    check_each_way(s, &g, next);
    gradient_release(&g);
}

void check_tiled(const attention_subject *s, attention_case *c)
{
    check_each(s, c, six_sizes);
}
