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

#include "common/testing/assert_close.h"

bool has_tiles(const attention_subject *s)
{
    return s->step ? s->step->tiles != NULL : s->backward->tiles != NULL;
}

bool too_much(const attention_subject *s, size_t Nq, size_t Nk, size_t d,
              size_t dv)
{
    return s->most_work != 0 && Nq * Nk * (d + dv) > s->most_work;
}

/* "flash1: Nq 3, Nk 5, d 2, dv 2, Br 1, Bc 2, causal 2": what failed. */
static void print_problem(const attention_case *c, const attention_subject *s)
{
    const head *h = &c->h;

    print_error("%s: Nq %zu, Nk %zu, d %zu, dv %zu", s->step->name, h->Nq,
                h->Nk, h->d, h->dv);
    if (s->step->tiles && h->Br && h->Bc)
        print_error(", Br %zu, Bc %zu", h->Br, h->Bc);
    else if (s->step->tiles)
        print_error(", M %zu", c->M);
    print_error(", scale %g", (double)h->scale);
    if (h->softcap > 0)
        print_error(", softcap %g", (double)h->softcap);
    if (h->mask.hbm.data)
        print_error(", a mask");
    if (h->causal)
        print_error(", causal offset %ld", h->offset);
    print_error("\n");
}

void case_run(attention_case *c, const attention_subject *s)
{
    memory mem;
    int error;

    fill(c->h.O.hbm, NAN);
    fill(c->h.L.hbm, NAN);
    memory_init(&mem, c->M);
    error = step_run(s->step, &c->h, &mem);
    c->counts = mem.counts;
    c->on_chip = mem.on_chip;
    c->extra = mem.extra;
    if (error) {
        print_problem(c, s);
        print_error("refused: %.159s\n", mem.message);
    }
    memory_reset(&mem);
    assert_int_equal(error, MEMORY_OK);
}

void run_kernel(attention_case *c, attention_fn *run)
{
    const attention_step step = {.name = "the kernel", .run = run};

    case_run(c, &(attention_subject){.step = &step});
}

attention_case case_after(attention_fn *run, size_t N, size_t d, tile_sizes t)
{
    attention_case c = case_of(N, N, d, d);

    case_exact(&c, N);
    c.h.Br = t.Br;
    c.h.Bc = t.Bc;
    run_kernel(&c, run);
    return c;
}

counts counts_of(attention_fn *run, size_t N, size_t d, tile_sizes t)
{
    attention_case c = case_after(run, N, d, t);

    case_free(&c);
    return c.counts;
}

/* An element of O or L: is it right? what: "O" or "L", at (i, k). */
static void check_element(const attention_case *c, const attention_subject *s,
                          const char *what, size_t i, size_t k, float got,
                          double want, double tolerance)
{
    char name[64];

    if (is_close_or_nan((double)got, want, tolerance))
        return;
    print_problem(c, s);
    snprintf(name, sizeof name, "%s[%zu][%zu]", what, i, k);
    assert_close_at((double)got, want, tolerance, name, __FILE__, __LINE__);
}

void case_check(const attention_case *c, const attention_subject *s)
{
    const head *h = &c->h;

    for (size_t i = 0; i < h->Nq; i++) {
        double L_tolerance = c->L_tolerance + 0x1p-23 * fabs(c->L[i]);

        for (size_t k = 0; k < h->dv; k++)
            check_element(c, s, "O", i, k, row(h->O.hbm, i)[k],
                          c->O[i * h->dv + k], c->O_tolerance);
        check_element(c, s, "L", i, 0, *row(h->L.hbm, i), c->L[i], L_tolerance);
    }
}

void check_case(const attention_subject *s, attention_case *c)
{
    case_expect(c, s);
    case_run(c, s);
    case_check(c, s);
}

void check_runs(const attention_subject *s, attention_case *c, tiles_fn *next)
{
    for (size_t k = 0; next(s, c, k); k++) {
        case_run(c, s);
        case_check(c, s);
    }
}

bool six_sizes(const attention_subject *s, attention_case *c, size_t k)
{
    const tile_sizes sizes[] = {{1, 1},  {2, 3},  {5, 2},
                                {3, 16}, {17, 5}, {64, 64}};

    if (k >= (has_tiles(s) ? sizeof sizes / sizeof sizes[0] : 1))
        return false;
    c->h.Br = sizes[k].Br;
    c->h.Bc = sizes[k].Bc;
    return true;
}

void check_as_expected(const attention_subject *s, attention_case *c)
{
    check_runs(s, c, six_sizes);
}
