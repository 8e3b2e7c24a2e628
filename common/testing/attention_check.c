/* Runs and checks one case (attention_check.h). */
#include "common/testing/attention_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/judge/reference_attention.h"
#include "common/judge/reference_gradients.h"
#include "common/testing/assert_close.h"

void print_case(const attention_case *c, const attention_step *s)
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
    if (c->nth)
        print_error(", problem %zu of this test", c->nth);
    print_error("\n");
}

/* --- Backward steps as attention steps ----------------------------------- */

static const backward_step *backward[MOST_TESTED];

/* The run function of a stand-in for a backward step. It is never called. */
static int run_backward(const head *h, memory *mem)
{
    (void)h;
    return mem->error = MEMORY_REFUSED;
}

const attention_step *tested(const backward_step *step)
{
    static attention_step all[MOST_TESTED];
    size_t k = 0;

    while (k < MOST_TESTED && backward[k] && backward[k] != step)
        k++;
    if (k == MOST_TESTED) {
        fprintf(stderr, "attention_check: more than %d backward steps\n",
                MOST_TESTED);
        exit(1);
    }
    backward[k] = step;
    all[k] = (attention_step){
        .name = step->name, .run = run_backward, .tiles = step->tiles};
    return &all[k];
}

bool is_backward(const attention_step *s)
{
    return s->run == run_backward;
}

const backward_step *backward_of(const attention_step *s)
{
    size_t k = 0;

    while (backward[k]->name != s->name)
        k++;
    return backward[k];
}

/* --- Running -------------------------------------------------------------- */

int case_try(attention_case *c, const attention_step *s, memory *mem)
{
    if (!is_backward(s))
        return step_run(s, &c->h, mem);
    c->g.h = c->h;
    return backward_step_run(backward_of(s), &c->g, 1, mem);
}

void case_run(attention_case *c, const attention_step *s)
{
    matrix outputs[] = {c->h.O.hbm, c->h.L.hbm, c->g.dQ.hbm, c->g.dK.hbm,
                        c->g.dV.hbm};
    size_t first = !is_backward(s) ? 0 : 2;
    size_t end = !is_backward(s) ? 2
                 : c->g.add      ? 3
                                 : 5; /* with g.add dK, dV keep their values */
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
    c->loads = mem.loads;
    if (error) {
        print_case(c, s);
        print_error("refused: %.159s\n", mem.message);
    }
    memory_reset(&mem);
    assert_int_equal(error, MEMORY_OK);
}

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
            print_case(c, s);
            snprintf(name, sizeof name, "%s[%zu][%zu]", what, i, k);
            assert_close_at(x, y, tolerance, name, __FILE__, __LINE__);
        }
}

static void check_zeros(const attention_case *c, const attention_step *s,
                        const char *what, matrix got, size_t i)
{
    for (size_t k = 0; k < got.cols; k++)
        if (!(row(got, i)[k] == 0)) {
            print_case(c, s);
            fail_msg("%s[%zu][%zu] is %g, want 0 exactly", what, i, k,
                     (double)row(got, i)[k]);
        }
}

static bool is_attended(const head *h, size_t j)
{
    for (size_t i = 0; i < h->Nq; i++)
        if (visible(h, one(i), one(j)) && reference_score(h, i, j) != -HUGE_VAL)
            return true;
    return false;
}

/* Checks dQ, dK and dV. They must be exactly 0 for a query without attended
 * keys and, without g.add, for a key that no query attends to. */
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
        if (!is_attended(h, j)) {
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

/* --- Expected results and tolerances ------------------------------------- */

static void no_memory(void)
{
    fprintf(stderr, "attention_check: no memory for the reference\n");
    exit(1);
}

static double sum_error(size_t n)
{
    return fmax(1e-6, (double)n * 0x1p-25);
}

/* Returns the larger of a and |b|, or a if b is infinite or NaN. */
static double larger_finite(double a, double b)
{
    return isfinite(b) ? fmax(a, fabs(b)) : a;
}

static double largest_value(matrix a)
{
    double max = 0;

    for (size_t i = 0; i < a.rows; i++)
        for (size_t c = 0; c < a.cols; c++)
            max = larger_finite(max, (double)row(a, i)[c]);
    return max;
}

static double largest_norm(matrix a)
{
    double max = 0;

    for (size_t i = 0; i < a.rows; i++) {
        double square = 0;

        for (size_t c = 0; c < a.cols; c++)
            square += (double)row(a, i)[c] * (double)row(a, i)[c];
        max = larger_finite(max, sqrt(square));
    }
    return max;
}

/* Returns the largest finite |score|. Includes the scores before softcap and
 * mask, because these are rounded, too. */
static double largest_score(const head *h)
{
    head plain = *h;
    double max = 0;

    plain.rule.softcap = 0;
    plain.rule.mask.hbm.data = NULL;
    for (size_t i = 0; i < h->Nq; i++)
        for (size_t j = 0; j < seen(h, one(i)); j++) {
            max = larger_finite(max, reference_score(&plain, i, j));
            max = larger_finite(max, reference_score(h, i, j));
        }
    return max;
}

static double rounding_of_scores(const attention_case *c, bool exact)
{
    double norms = largest_norm(c->h.Q.hbm) * largest_norm(c->h.K.hbm);

    if (exact)
        return 1;
    return fmax(1, fmax(largest_score(&c->h) / 4,
                        fabs((double)c->h.scale) * norms / 16));
}

/* --- bf16 and fp16 ------------------------------------------------------- */

static void round_all(matrix a, precision type)
{
    for (size_t i = 0; i < a.rows; i++)
        for (size_t c = 0; c < a.cols; c++)
            row(a, i)[c] = round_to(type, row(a, i)[c]);
}

static double narrow(precision type, double x)
{
    return (double)round_to(type, (float)x);
}

/* Computes row i of S and then of P, each rounded to the type. Stores the row
 * of P in p and returns L. */
static double narrow_weights(const head *h, precision type, size_t i, double *p)
{
    double m = -HUGE_VAL, l = 0;

    for (size_t j = 0; j < h->Nk; j++) {
        p[j] = narrow(type, reference_score(h, i, j));
        m = fmax(m, p[j]);
    }
    for (size_t j = 0; j < h->Nk; j++)
        l += p[j] == -HUGE_VAL ? 0 : exp(p[j] - m);
    for (size_t j = 0; j < h->Nk; j++)
        p[j] = p[j] == -HUGE_VAL ? 0 : narrow(type, exp(p[j] - m) / l);
    return m + log(l);
}

/* Returns the error of element k of row i of O = p V, stored in the type. In a
 * small problem this error can be small by chance. So the result is at least
 * the mean error of rounding p and O: u |o| + u sqrt(sum_j (p_j v_j)^2). u is
 * the largest relative rounding error of the type. If fp16 scores overflow and
 * o is NaN or infinite, returns the error of rounding O. */
static double narrow_error(const attention_case *c, precision type, size_t i,
                           size_t k, const double *p)
{
    double u = type == BF16 ? 0x1p-8 : 0x1p-11, o = 0, square = 0;
    double want = c->O[i * c->h.dv + k];

    for (size_t j = 0; j < c->h.Nk; j++) {
        double pv = p[j] == 0 ? 0 : p[j] * (double)v_of(c, j)[k];

        o += pv;
        square += pv * pv;
    }
    return larger_finite(
        larger_finite(u * fabs(want), u * (fabs(o) + sqrt(square))),
        narrow(type, o) - want);
}

/* Computes the largest errors of O and L of standard attention that stores S, P
 * and O in the type. */
static void narrow_errors(const attention_case *c, precision type, double *O,
                          double *L)
{
    const head *h = &c->h;
    double *p = case_block(h->Nk, sizeof *p);

    *O = *L = 0;
    for (size_t i = 0; i < h->Nq; i++) {
        *L = larger_finite(*L, narrow_weights(h, type, i, p) - c->L[i]);
        for (size_t k = 0; k < h->dv; k++)
            *O = larger_finite(*O, narrow_error(c, type, i, k, p));
    }
    free(p);
}

/* --- Forward and backward ------------------------------------------------ */

void case_expect(attention_case *c, const attention_step *s)
{
    double t = sum_error(c->h.Nk), r, O_error, L_error;
    precision type;

    if (is_backward(s)) {
        expect_gradients(c);
        return;
    }
    type = s->type;
    round_all(c->h.Q.hbm, type);
    round_all(c->h.K.hbm, type);
    round_all(c->h.V.hbm, type);
    if (reference_attention(&c->h, c->O, c->L) != 0)
        no_memory();

    r = rounding_of_scores(c, c->exact);
    c->L_tolerance = (1e-6 + (double)(c->h.Nk + 1) * 0x1p-23) * r;
    c->O_tolerance = t * r * largest_value(c->h.V.hbm);
    if (type == FP32)
        return;
    narrow_errors(c, type, &O_error, &L_error);
    c->O_tolerance = 1e-5 * largest_value(c->h.V.hbm) + 2 * O_error;
    c->L_tolerance += 2 * L_error + (double)s->weight_error;
}

static double largest_wanted(const double *x, size_t n)
{
    double most = 0;

    for (size_t e = 0; e < n; e++)
        most = larger_finite(most, x[e]);
    return most;
}

int reference_forward(const head *h)
{
    double *O = malloc((h->Nq * h->dv + h->Nk + 1) * sizeof *O);
    double *p = O ? O + h->Nq * h->dv : NULL, m, l;
    int failed = !O || reference_attention(h, O, NULL);

    for (size_t i = 0; i < h->Nq && !failed; i++) {
        reference_weights(h, i, p, &m, &l);
        for (size_t c = 0; c < h->dv; c++)
            row(h->O.hbm, i)[c] = (float)O[i * h->dv + c];
        *row(h->L.hbm, i) = (float)(m + log(l));
        for (size_t j = 0; j < h->Nk && h->P.hbm.data; j++)
            row(h->P.hbm, i)[j] = (float)p[j];
        if (h->m.hbm.data)
            *row(h->m.hbm, i) = (float)m;
        if (h->l.hbm.data)
            *row(h->l.hbm, i) = (float)l;
    }
    free(O);
    return failed;
}

void expect_gradients(attention_case *c)
{
    const head *h = &c->h;
    double scale = fabs((double)h->scale), dP = -1, t;

    case_backward(c);
    c->g.h = *h;
    if (reference_forward(h) == 0)
        dP = reference_gradients(&c->g, NO_SINK, c->dQ, c->dK, c->dV);
    if (!(dP >= 0))
        no_memory();
    t = sum_error(h->Nq > h->Nk ? h->Nq : h->Nk) * rounding_of_scores(c, false);
    c->dQ_tolerance = t * fmax(largest_wanted(c->dQ, h->Nq * h->d),
                               scale * dP * largest_value(h->K.hbm));
    c->dK_tolerance = t * fmax(largest_wanted(c->dK, h->Nk * h->d),
                               scale * dP * largest_value(h->Q.hbm));
    c->dV_tolerance = 2 * t * largest_wanted(c->dV, h->Nk * h->dv);
}
