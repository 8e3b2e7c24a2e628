/*
 * The way back on the ring: the right gradients on every rank, and no byte more
 * than the formula's, as MPI was handed them.
 */
#include "06_flash2/ring/test_on_ranks.h"
#include "common/judge/reference_gradients.h"
#include "common/testing/assert_close.h"

static const sizes tried[] = {
    {4, 4, 16, 16, 8, 8, false, 0}, /* P divides all for P = 1, 2, 4, 8 */
    {8, 8, 48, 48, 4, 4, true, 0},  /* 2P divides N for 1, 2, 3, 4, 6, 8 */
    {3, 3, 37, 37, 5, 7, false, 0}, /* ragged, dv not d */
    {6, 3, 29, 29, 4, 6, true, 0},  /* grouped heads: dK is of all of them */
    {8, 1, 31, 31, 3, 2, true, 0},
    {2, 2, 23, 41, 6, 5, true, 18},  /* as --causal with Nk > Nq */
    {2, 2, 41, 23, 6, 5, true, -18}, /* rows that see nothing */
    {2, 1, 19, 17, 3, 3, true, -5},
    {2, 2, 17, 19, 3, 3, true, -9}, /* and keys that nobody sees */
    {8, 8, 5, 5, 3, 3, true, 0},    /* N < P: empty ranks */
    {8, 4, 1, 3, 2, 4, true, 2},
    {3, 3, 2, 1, 2, 2, false, 0},
    {4, 4, 0, 9, 3, 3, false, 0}, /* no queries: dK = dV = 0 */
    {4, 4, 9, 0, 3, 3, true, 0},
    {0, 0, 5, 5, 3, 3, false, 0},
    {2, 2, 7, 7, 3, 0, false, 0},
    {1, 1, 300, 300, 64, 64, true, 0}, /* many tiles a chunk */
};

enum { TRIED = sizeof tried / sizeof tried[0] };

/* --- All of it, on every rank --------------------------------------------- */

static float *all_rows(const source *s, int which)
{
    size_t n = s->heads[which] * s->N[which] * s->cols[which];
    float *x = malloc((n + 1) * sizeof *x);

    assert_non_null(x);
    assert_int_equal(share_read(s, which, everything(s->N[which]), x), 0);
    return x;
}

typedef struct {
    double *dQ, *dK, *dV;
} truth;

static truth truth_of(const sizes *z)
{
    source s = made_of(z);
    ring_problem p = problem_of(z);
    source back = rows_of_dO(&s, &p);
    float *Q = all_rows(&s, OF_Q), *K = all_rows(&s, OF_K);
    float *V = all_rows(&s, OF_V), *dO = all_rows(&back, OF_Q);
    truth t = {calloc(z->Hq * z->Nq * z->d + 1, sizeof(double)),
               calloc(z->Hk * z->Nk * z->d + 1, sizeof(double)),
               calloc(z->Hk * z->Nk * z->dv + 1, sizeof(double))};

    for (size_t nth = 0; nth < z->Hq; nth++) {
        size_t kv = nth / (z->Hq / z->Hk), q = nth * z->Nq, k = kv * z->Nk;
        gradients g = {.h = {.Nq = z->Nq,
                             .Nk = z->Nk,
                             .d = z->d,
                             .dv = z->dv,
                             .Q = hbm_of(Q + q * z->d, z->Nq, z->d),
                             .K = hbm_of(K + k * z->d, z->Nk, z->d),
                             .V = hbm_of(V + k * z->dv, z->Nk, z->dv),
                             .scale = p.scale,
                             .causal = p.causal,
                             .offset = p.offset},
                       .dO = hbm_of(dO + q * z->dv, z->Nq, z->dv),
                       .add = true};

        assert_true(reference_gradients(&g, t.dQ + q * z->d, t.dK + k * z->d,
                                        t.dV + k * z->dv) >= 0);
    }
    free(Q);
    free(K);
    free(V);
    free(dO);
    return t;
}

/* Are the rank's rows of that share those of the truth? */
static bool are_right(const float *got, const double *want, size_t heads,
                      size_t N, size_t cols, share rows)
{
    bool good = true;

    for (size_t nth = 0; nth < heads; nth++)
        for (size_t half = 0; half < 2; half++)
            for (size_t i = 0; i < rows.part[half].n; i++) {
                const double *w =
                    want + (nth * N + rows.part[half].first + i) * cols;

                for (size_t c = 0; c < cols; c++)
                    good = good && is_close((double)*got++, w[c], 1e-4);
            }
    return good;
}

/* --- On the ring ----------------------------------------------------------- */

/* The step forward, then back, with those sizes. */
static void check_back(const sizes *z, const ring_step *step)
{
    source s = made_of(z);
    ring_problem p = problem_of(z);
    truth t = truth_of(z);
    outcome found;
    rank me;
    bool good;

    assert_int_equal(
        measure_backward(&me, MPI_COMM_WORLD, &p, step, &s, &found), 0);
    good = are_right(me.dQ, t.dQ, p.Hq, p.Nq, p.d, me.q) &&
           are_right(me.dK, t.dK, p.Hk, p.Nk, p.d, me.k) &&
           are_right(me.dV, t.dV, p.Hk, p.Nk, p.dv, me.k);
    if (!good || !found.equal)
        fprintf(stderr, "%s back, %zu %zu heads, %zu %zu rows: %s%s\n",
                step->name, p.Hq, p.Hk, p.Nq, p.Nk, good ? "" : "wrong,",
                found.equal ? "" : "bytes or floats differ");
    assert_on_all(good && found.equal);
    rank_end(&me);
    free(t.dQ);
    free(t.dK);
    free(t.dV);
}

enum { RING = 1, ZIGZAG = 2 }; /* of ring_steps */

static void gradients_come_home_right_and_send_what_they_must(void **state)
{
    (void)state;
    for (size_t k = 0; k < TRIED; k++)
        for (int step = RING; step <= ZIGZAG; step++)
            check_back(&tried[k], &ring_steps[step]);
}

static void any_sizes_come_home_right(void **state)
{
    random_source r = random_seed(12);

    (void)state;
    for (int k = 0; k < 15; k++) {
        sizes z = any_sizes(&r, 4, 30, 7);

        check_back(&z, &ring_steps[RING + k % 2]);
    }
}

/* As the page has it, where P divides N and dv = d. */
static void back_it_sends_keys_and_their_gradients_home(void **state)
{
    size_t P = ranks, N = 6 * P, d = 5, Hk = 3;
    ring_problem p = {.Hq = 6, .Hk = Hk, .Nq = N, .Nk = N, .d = d, .dv = d};
    size_t keys = 2 * (P - 1) * (N / P) * Hk * d;
    size_t home = P > 1 ? 2 * N * Hk * d : 0;

    (void)state;
    assert_int_equal(sent_backward(&p, neighbours, P, self), keys + home);
    assert_int_equal(sent_backward(&p, folded, P, self), keys + home);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_come_home_right_and_send_what_they_must),
        cmocka_unit_test(any_sizes_come_home_right),
        cmocka_unit_test(back_it_sends_keys_and_their_gradients_home),
    };

    return run_on_ranks(argc, argv, "ring, backward", tests);
}
