/*
 * Tests attention over ranks, forward and backward. mpirun starts any number of
 * ranks. Every rank runs all tests with the same problems.
 */
#include "06_flash2/ring/on_ranks.h"
#include "common/data/random.h"
#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

#include <math.h>
#include <stdio.h>

/* --- Problems ------------------------------------------------------------- */

typedef struct {
    size_t Hq, Hk, Nq, Nk, d, dv;
    bool causal;
    long offset;
} sizes;

static const sizes tried[] = {
    {8, 8, 48, 48, 4, 4, true, 0},  /* 2P divides N if P = 1, 2, 3, 4, 6, 8 */
    {3, 3, 37, 37, 5, 7, false, 0}, /* 2P does not divide N, dv != d */
    {6, 3, 29, 29, 4, 6, true, 0},  /* grouped heads: dK is a sum over two */
    {8, 1, 31, 31, 3, 2, true, 0},  /* one key head for all query heads */
    {2, 2, 23, 41, 6, 5, true, 18}, /* Nk > Nq, the offset of --causal */
    {2, 2, 17, 19, 3, 3, true, -9}, /* some queries and keys have no pairs */
    {8, 8, 5, 5, 3, 3, true, 0},    /* if P > 5, some ranks have no rows */
    {12, 12, 1, 200, 16, 16, false, 0}, /* decoding */
    {4, 4, 0, 9, 3, 3, false, 0},       /* no queries: no step is run */
    {4, 4, 9, 0, 3, 3, true, 0},        /* no keys: O = 0, L = -inf */
    {0, 0, 5, 5, 3, 3, false, 0},       /* no heads */
    {2, 2, 7, 7, 3, 0, false, 0},       /* V has no columns */
    {1, 1, 600, 600, 64, 64, true, 0},  /* several tiles per chunk */
};

/* Returns small random sizes; Hk >= 1, d >= 1. */
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

/* --- MPI's datatypes ------------------------------------------------------ */

/* Calls of MPI's library, which it also has with the prefix P. */
static long types; /* those that are not freed yet */

int MPI_Type_create_hvector(int n, int length, MPI_Aint apart, MPI_Datatype of,
                            MPI_Datatype *type)
{
    types++;
    return PMPI_Type_create_hvector(n, length, apart, of, type);
}

int MPI_Type_free(MPI_Datatype *type)
{
    types--;
    return PMPI_Type_free(type);
}

/* --- Right rows ----------------------------------------------------------- */

static outcome run_step(const ring_step *s, backward_problem *b)
{
    outcome o;

    assert_int_equal(run_on_ranks(s, b, &o, NULL), 0);
    if (o.differs)
        fail_msg("%s: on some rank the bytes or the floats differ from the "
                 "formula (largest number of bytes: %zu, by formula %zu)",
                 s->name, o.sent, o.formula);
    assert_int_equal(types, 0);
    return o;
}

TEST(every_step_is_right_and_sends_as_many_bytes_as_its_formula)
{
    random_source r = random_seed(11);
    const size_t n = sizeof tried / sizeof tried[0];

    for (size_t k = 0; k < n + 20; k++) {
        backward_problem b = make_problem(k < n ? tried[k] : any_sizes(&r));
        const layer *l = &b.forward.layer;
        measurement m;

        measure_runs(&m, &b.forward, &ring_flash2, 1, false);
        problem_gradient_errors(&b); /* computes gradients in float64 */
        assert_int_equal(b.forward.status, 0);
        for (const ring_step *s = ring_steps; s->name && heads_of(l); s++) {
            outcome o = run_step(s, &b);

            if (!(o.error <= 1e-5))
                fail_msg("%s: %zu query heads, %zu key heads, Nq %zu, Nk %zu, "
                         "d %zu, dv %zu: error %g",
                         s->name, l->Hq, l->Hk, l->each.Nq, l->each.Nk,
                         l->each.d, l->each.dv, o.error);
        }
        backward_free(&b);
    }
}

TEST(gather_has_the_bits_of_flash2)
{
    for (size_t k = 0; k < 5; k++) {
        backward_problem b = make_problem(tried[k]);
        bool same = false;
        measurement m;
        outcome o;

        measure_runs(&m, &b.forward, &ring_flash2, 1, false);
        assert_int_equal(run_on_ranks(&ring_steps[GATHER], &b, &o, &same), 0);
        assert_true(same);
        for (size_t n = 0; n < 2; n++) {
            const npy_array *a = n ? &b.forward.L : &b.forward.O;
            float *x = &a->data[a->size - 1], right = *x;

            *x = right + 1;
            run_on_ranks(&ring_steps[GATHER], &b, &o, &same);
            assert_false(same);
            *x = right;
        }
        backward_free(&b);
    }
}

/* --- Shares --------------------------------------------------------------- */

/* P divides N, and dv = d. */
TEST(the_formulas_equal_those_of_the_page)
{
    for (size_t P = 1; P <= 8; P++)
        for (size_t r = 0; r < P; r++) {
            size_t N = 6 * P, d = 5, Hq = 4 * P, Hk = 2 * P;
            size_t keys = 2 * (P - 1) * (N / P) * Hk * d;
            size_t dK_dV = P > 1 ? 2 * N * Hk * d : 0;
            ring_problem p = {
                .Hq = Hq, .Hk = Hk, .Nq = N, .Nk = N, .d = d, .dv = d};

            for (size_t k = GATHER; k <= ZIGZAG; k++)
                assert_int_equal(
                    ring_steps[k].sent(&p, ring_steps[k].owns, P, r), keys);
            for (size_t k = RING_BACKWARD; ring_steps[k].name; k++)
                assert_int_equal(
                    ring_steps[k].sent(&p, ring_steps[k].owns, P, r),
                    keys + dK_dV);
        }
}

/* Returns the average work of a rank divided by that of the busiest rank. */
static double balance_of_neighbours(size_t N, size_t P)
{
    double n = (double)N, p = (double)P;

    return p * (n + 1) / ((2 * p - 1) * n + p);
}

static double balance_measured(size_t step, size_t N)
{
    backward_problem b = make_problem((sizes){1, 1, N, N, 2, 2, true, 0});
    double balance = run_step(&ring_steps[step], &b).balance;

    backward_free(&b);
    return balance;
}

TEST(work_is_balanced_as_the_formula_says)
{
    const size_t ranks = rank_count(), N = 6 * ranks;

    assert_close(balance_measured(ZIGZAG, N), 1, 1e-12);
    assert_close(balance_measured(RING, N), balance_of_neighbours(N, ranks),
                 1e-12);
    assert_close(balance_of_neighbours(1000000, 2), 0.667, 1e-3);
    assert_close(balance_of_neighbours(1000000, 4), 0.571, 1e-3);
    assert_close(balance_of_neighbours(1000000, 8), 0.533, 1e-3);
}

int main(int argc, char **argv)
{
    int r, status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    if (r != 0 && !freopen("/dev/null", "w", stdout))
        MPI_Abort(MPI_COMM_WORLD, 1); /* only rank 0 prints */
    status = run_tests("ring");
    MPI_Finalize();
    return status;
}
