/*
 * Attention over ranks: the right rows, and no byte more than the formula's.
 */
#include "06_flash2/ring/test_on_ranks.h"
#include "common/judge/reference_attention.h"
#include "common/testing/assert_close.h"

static const sizes tried[] = {
    {4, 4, 16, 16, 8, 8, false, 0},  /* P divides all for P = 1, 2, 4, 8 */
    {8, 8, 48, 48, 4, 4, true, 0},   /* 2P divides N for 1, 2, 3, 4, 6, 8 */
    {3, 3, 37, 37, 5, 7, false, 0},  /* ragged, dv not d */
    {6, 3, 29, 29, 4, 6, true, 0},   /* grouped heads */
    {8, 1, 31, 31, 3, 2, true, 0},   /* one key head for all */
    {2, 2, 23, 41, 6, 5, true, 18},  /* as --causal with Nk > Nq */
    {2, 2, 41, 23, 6, 5, true, -18}, /* rows that see nothing */
    {2, 1, 19, 17, 3, 3, true, -5},  /* and others */
    {2, 2, 19, 17, 3, 3, true, 4},
    {8, 8, 5, 5, 3, 3, true, 0}, /* N < P: empty ranks */
    {8, 4, 1, 3, 2, 4, true, 2},
    {3, 3, 2, 1, 2, 2, false, 0},
    {12, 12, 1, 200, 16, 16, false, 0}, /* decoding */
    {24, 24, 1, 7, 4, 3, true, 6},
    {4, 4, 0, 9, 3, 3, false, 0}, /* no queries */
    {4, 4, 9, 0, 3, 3, true, 0},  /* no keys: O = 0, L = -inf */
    {4, 4, 0, 0, 3, 3, true, 0},
    {0, 0, 5, 5, 3, 3, false, 0},      /* no heads */
    {2, 2, 7, 7, 3, 0, false, 0},      /* values without columns */
    {1, 1, 600, 600, 64, 64, true, 0}, /* many tiles a chunk */
};

enum { TRIED = sizeof tried / sizeof tried[0] };

static float *all_rows(const source *s, int which)
{
    size_t n = s->heads[which] * s->N[which] * s->cols[which];
    float *x = malloc((n + 1) * sizeof *x);

    assert_non_null(x);
    assert_int_equal(share_read(s, which, everything(s->N[which]), x), 0);
    return x;
}

/* The row of the result where query i of head nth is, if this rank has it. */
static const float *result_row(const rank *me, size_t nth, size_t i)
{
    size_t before = 0;

    for (size_t half = 0; half < 2; half++) {
        chunk c = me->q.part[half];

        if (i >= c.first && i - c.first < c.n)
            return row(me->result, nth * me->q.n + before + i - c.first);
        before = c.n;
    }
    return NULL;
}

/* Are this rank's rows those of float64, L too? */
static bool is_right(const rank *me, const source *s)
{
    const ring_problem *p = &me->p;
    float *Q = all_rows(s, OF_Q), *K = all_rows(s, OF_K),
          *V = all_rows(s, OF_V);
    double *O = malloc((p->Nq * p->dv + 1) * sizeof *O);
    double *L = malloc((p->Nq + 1) * sizeof *L);
    size_t seen = 0;
    bool good = true;

    for (size_t nth = 0; nth < p->Hq; nth++) {
        size_t kv = nth / (p->Hq / p->Hk);
        head h = {.Nq = p->Nq,
                  .Nk = p->Nk,
                  .d = p->d,
                  .dv = p->dv,
                  .Q.hbm = matrix_of(Q + nth * p->Nq * p->d, p->Nq, p->d),
                  .K.hbm = matrix_of(K + kv * p->Nk * p->d, p->Nk, p->d),
                  .V.hbm = matrix_of(V + kv * p->Nk * p->dv, p->Nk, p->dv),
                  .scale = p->scale,
                  .causal = p->causal,
                  .offset = p->offset};

        good = reference_attention(&h, O, L) == 0 && good;
        for (size_t i = 0; i < p->Nq; i++) {
            const float *got = result_row(me, nth, i);

            seen += got != NULL;
            for (size_t c = 0; got && c < p->dv; c++)
                good = good &&
                       is_close((double)got[2 + c], O[i * p->dv + c], 3e-5);
            good = good && (!got || is_close((double)got[1], L[i], 3e-5));
        }
    }
    free(Q);
    free(K);
    free(V);
    free(O);
    free(L);
    return good && seen == me->result.rows;
}

/* Each step that these ranks can run, of those sizes. */
static void check_all_steps(const sizes *z)
{
    source s = made_of(z);
    ring_problem p = problem_of(z);

    for (const ring_step *step = ring_steps; step->name; step++) {
        char line[200];
        outcome found;
        rank me;
        bool good;

        if (refused(step, &p, ranks, line))
            continue;
        assert_int_equal(measure(&me, MPI_COMM_WORLD, &p, step, &s, &found), 0);
        good = is_right(&me, &s);
        if (!good || !found.equal || !(found.error < 1e-5))
            fprintf(stderr, "%s, %zu %zu heads, %zu %zu rows: %s%s error %g\n",
                    step->name, p.Hq, p.Hk, p.Nq, p.Nk, good ? "" : "wrong,",
                    found.equal ? "" : "bytes differ,", found.error);
        assert_on_all(good && found.equal && found.error < 1e-5);
        rank_end(&me);
    }
}

static void every_step_is_right_and_sends_what_its_formula_says(void **state)
{
    (void)state;
    for (size_t k = 0; k < TRIED; k++)
        check_all_steps(&tried[k]);
}

static void any_sizes_are_right(void **state)
{
    random_source r = random_seed(11);

    (void)state;
    for (int k = 0; k < 25; k++) {
        sizes z = any_sizes(&r, 8, 40, 9);

        check_all_steps(&z);
    }
}

static void in_bf16_partial_outputs_lose_more_with_more_ranks(void **state)
{
    sizes z = {8, 8, 128, 128, 16, 16, false, 0};
    source s = made_of(&z);
    ring_problem p = problem_of(&z);
    outcome whole, narrow;
    rank me;

    (void)state;
    assert_int_equal(
        measure(&me, MPI_COMM_WORLD, &p, &ring_steps[1], &s, &whole), 0);
    rank_end(&me);
    p.partials = BF16;
    assert_int_equal(
        measure(&me, MPI_COMM_WORLD, &p, &ring_steps[1], &s, &narrow), 0);
    rank_end(&me);
    assert_true(whole.error < 2e-6);
    assert_true(narrow.error > 1e-3 * sqrt((double)ranks) / 2);
    assert_true(narrow.error < 1e-2);
}

static void a_rank_reads_its_own_rows_alone(void **state)
{
    const char *const names[INPUTS] = {"common/data/q.npy", "common/data/k.npy",
                                       "common/data/v.npy"};
    source s;
    ring_problem p;
    outcome found;
    rank me;

    (void)state;
    assert_int_equal(source_open(MPI_COMM_WORLD, &s, names), 0);
    p = (ring_problem){.Hq = s.heads[OF_Q],
                       .Hk = s.heads[OF_K],
                       .Nq = s.N[OF_Q],
                       .Nk = s.N[OF_K],
                       .d = s.cols[OF_Q],
                       .dv = s.cols[OF_V],
                       .scale = 0.1f};
    assert_int_equal(
        measure(&me, MPI_COMM_WORLD, &p, &ring_steps[2], &s, &found), 0);
    assert_on_all(found.read == sizeof(float) * p.Hq *
                                    (me.q.n * p.d + me.k.n * (p.d + p.dv)));
    rank_end(&me);
    source_close(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_is_right_and_sends_what_its_formula_says),
        cmocka_unit_test(any_sizes_are_right),
        cmocka_unit_test(in_bf16_partial_outputs_lose_more_with_more_ranks),
        cmocka_unit_test(a_rank_reads_its_own_rows_alone),
    };

    return run_on_ranks(argc, argv, "ring", tests);
}
