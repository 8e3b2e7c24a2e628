/*
 * Attention over ranks, forward and back: the right rows, and no byte more than
 * the formula's. Rank 0 runs the tests, and the other ranks obey: mpirun begins
 * any number of them.
 */
#include "06_flash2/ring/program/orders.h"
#include "common/lesson/measure_backward.h"
#include "common/lesson/random.h"
#include "common/testing/assert_close.h"
#include "common/testing/layer_case.h"
#include "common/testing/run_tests.h"

#include <math.h>

enum { GATHER, RING, ZIGZAG, ULYSSES, TREE };

static size_t ranks;
static attention_step own[9], narrow[9];
static attention_step back[9];

/* --- Problems -------------------------------------------------------------- */

typedef struct {
    size_t Hq, Hk, Nq, Nk, d, dv;
    bool causal;
    long offset;
} sizes;

static const sizes tried[] = {
    {8, 8, 48, 48, 4, 4, true, 0},  /* 2P divides N for 1, 2, 3, 4, 6, 8 */
    {3, 3, 37, 37, 5, 7, false, 0}, /* ragged, dv not d */
    {6, 3, 29, 29, 4, 6, true, 0},  /* grouped heads: dK is of all of them */
    {8, 1, 31, 31, 3, 2, true, 0},  /* one key head for all */
    {2, 2, 23, 41, 6, 5, true, 18}, /* as --causal with Nk > Nq */
    {2, 2, 17, 19, 3, 3, true, -9}, /* rows without keys, keys without rows */
    {8, 8, 5, 5, 3, 3, true, 0},    /* N < P: empty ranks */
    {12, 12, 1, 200, 16, 16, false, 0}, /* decoding */
    {4, 4, 0, 9, 3, 3, false, 0},       /* no queries: dK = dV = 0 */
    {4, 4, 9, 0, 3, 3, true, 0},        /* no keys: O = 0, L = -inf */
    {0, 0, 5, 5, 3, 3, false, 0},       /* no heads */
    {2, 2, 7, 7, 3, 0, false, 0},       /* values without columns */
    {1, 1, 600, 600, 64, 64, true, 0},  /* many tiles a chunk */
};

/* Any, up to a few; Hk >= 1, d >= 1. */
static sizes any_sizes(random_source *r)
{
    sizes z = {.Hk = 1 + random_below(r, 5)};

    z.Hq = z.Hk * (1 + random_below(r, 3));
    z.Nq = random_below(r, 40);
    z.Nk = random_below(r, 40);
    z.d = 1 + random_below(r, 9);
    z.dv = random_below(r, 9);
    z.causal = random_below(r, 3) > 0;
    z.offset = (long)random_below(r, z.Nq + z.Nk + 1) - (long)z.Nq;
    return z;
}

static backward_problem make_problem(sizes z)
{
    const problem_sizes of = {1, z.Hq, z.Hk, z.Nq, z.Nk, z.d, z.dv, 7};
    backward_problem b = {.dO = {0}};

    assert_int_equal(problem_random(&b.forward, &of), 0);
    assert_int_equal(backward_problem_set_up(&b), 0);
    b.forward.layer.each.rule.causal = z.causal;
    b.forward.layer.each.rule.offset = z.offset;
    return b;
}

/* --- Right rows ------------------------------------------------------------ */

static void unwrite(npy_array *a)
{
    fill(matrix_of(a->data, 1, a->size), NAN);
}

static void must_send_and_hold(const char *step, const layer *l)
{
    const outcome *o = outcome_of(step);

    if (heads_of(l) && o->differs)
        fail_msg("%s: the most sent is %zu bytes, by formula %zu; or some rank "
                 "sends or holds what its own formula does not say",
                 step, o->sent, o->sent_formula);
}

static void check_forward(problem *p)
{
    const layer *l = &p->layer;

    for (const attention_step *s = own; s->name; s++) {
        measurement m;

        unwrite(&p->O);
        unwrite(&p->L);
        measure_runs(&m, p, s, 1, false);
        assert_int_equal(p->status, 0);
        layer_check(l, s);
        must_send_and_hold(s->name, l);
        assert_memory_equal(&m.counted, &m.formula, sizeof m.formula);
    }
}

static void check_back(backward_problem *b)
{
    const layer *l = &b->forward.layer;

    for (const attention_step *s = back; s->name; s++) {
        backward_measurement m;

        unwrite(&b->dQ);
        unwrite(&b->dK);
        unwrite(&b->dV);
        measure_backward_runs(&m, b, s, 1);
        assert_int_equal(b->forward.status, 0);
        must_send_and_hold(s->name, l);
        if (heads_of(l) && !(m.error <= 1e-5))
            fail_msg("%s: %zu ranks, %zu query heads, %zu key heads, Nq %zu, "
                     "Nk %zu, d %zu, dv %zu: errors of dQ %g, dK %g, dV %g",
                     s->name, ranks, l->Hq, l->Hk, l->each.Nq, l->each.Nk,
                     l->each.d, l->each.dv, m.errors.dQ, m.errors.dK,
                     m.errors.dV);
    }
}

TEST(every_step_is_right_and_sends_what_its_formula_says)
{
    random_source r = random_seed(11);
    const size_t n = sizeof tried / sizeof tried[0];

    for (size_t k = 0; k < n + 20; k++) {
        backward_problem b = make_problem(k < n ? tried[k] : any_sizes(&r));

        b.forward.M = 0; /* no step here has tiles */
        check_forward(&b.forward);
        b.forward.M = USUAL_M;
        check_back(&b);
        backward_free(&b);
    }
}

static double error_by(const attention_step *s, problem *p)
{
    measurement m;

    p->M = 0;
    measure_runs(&m, p, s, 1, true);
    assert_int_equal(p->status, 0);
    return m.error;
}

TEST(in_bf16_partial_outputs_lose_more_with_more_ranks)
{
    backward_problem b = make_problem((sizes){8, 8, 128, 128, 16, 16, false, 0});
    double fp32 = error_by(own + RING, &b.forward);
    double bf16 = error_by(narrow, &b.forward);

    assert_true(fp32 < 2e-6);
    assert_true(bf16 > 1e-3 * sqrt((double)ranks) / 2);
    assert_true(bf16 < 1e-2);
    backward_free(&b);
}

/* --- Shares ---------------------------------------------------------------- */

/* The formulas again, as a page has them, where P divides N and dv = d. */
TEST(the_formulas_are_those_of_the_page)
{
    for (size_t P = 1; P <= 8; P++)
        for (size_t r = 0; r < P; r++) {
            size_t N = 6 * P, d = 5, Hq = 4 * P, Hk = 2 * P;
            size_t keys = 2 * (P - 1) * (N / P) * Hk * d;
            size_t home = P > 1 ? 2 * N * Hk * d : 0;
            size_t rows = 2 * (P - 1) * (Hq / P) * (d + 2);
            ring_problem p = {
                .Hq = Hq, .Hk = Hk, .Nq = N, .Nk = N, .d = d, .dv = d};

            for (size_t k = GATHER; k <= ZIGZAG; k++)
                assert_int_equal(
                    ring_steps[k].sent(&p, ring_steps[k].owns, P, r), keys);
            assert_int_equal(ring_steps[ULYSSES].sent(&p, neighbours, P, r),
                             ((2 * Hq + 2 * Hk) * d + Hq) * (N / P) * (P - 1) /
                                 P);
            for (size_t k = TREE + 3; ring_steps[k].name; k++)
                assert_int_equal(
                    ring_steps[k].sent(&p, ring_steps[k].owns, P, r),
                    keys + home);
            p.Nq = 1;
            assert_int_equal(ring_steps[TREE].sent(&p, neighbours, P, r), rows);
            p.Nk = 1000 * N; /* whatever N is */
            assert_int_equal(ring_steps[TREE].sent(&p, neighbours, P, r), rows);
        }
}

/* Of P ranks that wait for the slowest, which share does the average one work?
 * As the page has it, of neighbouring rows. */
static double balance_of_neighbours(size_t N, size_t P)
{
    double n = (double)N, p = (double)P;

    return p * (n + 1) / ((2 * p - 1) * n + p);
}

static double balance_measured(size_t step, size_t N)
{
    backward_problem b = make_problem((sizes){1, 1, N, N, 2, 2, true, 0});

    error_by(own + step, &b.forward);
    backward_free(&b);
    return outcome_of(own[step].name)->balance;
}

/* zigzag is balanced where 2P divides N. */
TEST(work_is_balanced_as_the_formula_says)
{
    const size_t N = 6 * ranks;

    assert_close(balance_measured(ZIGZAG, N), 1, 1e-12);
    assert_close(balance_measured(RING, N), balance_of_neighbours(N, ranks),
                 1e-12);
    assert_close(balance_of_neighbours(1000000, 2), 0.667, 1e-3);
    assert_close(balance_of_neighbours(1000000, 4), 0.571, 1e-3);
    assert_close(balance_of_neighbours(1000000, 8), 0.533, 1e-3);
}

static int tests_on_rank_0(int argc, char **argv)
{

    (void)argc;
    (void)argv;
    ranks = rank_count();
    steps_on_ranks(own, narrow, back);
    return run_tests("ring");
}

int main(int argc, char **argv)
{
    return run_ranks(argc, argv, tests_on_rank_0);
}
