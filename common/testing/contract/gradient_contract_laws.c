/*
 * Claims of attention_contract.h that need no float64: what is known of the
 * gradients, and what two runs have in common.
 */
#include "common/testing/contract/attention_contract.h"

#include <math.h>
#include <string.h>

#include "common/testing/assert_close.h"
#include "common/testing/edge.h"

static gradient_case problem(size_t Nq, size_t Nk, uint64_t seed)
{
    attention_case forward = case_of(Nq, Nk, 8, 5);

    case_random(&forward, seed);
    return gradient_case_of(forward);
}

static void run_as_it_is(gradient_case *c, const attention_subject *s)
{
    gradient_expect(c);
    c->forward.h.Br = 7;
    c->forward.h.Bc = 6;
    gradient_run(c, s);
}

/* --- What is known -------------------------------------------------------- */

/* Its weight is 1 whatever the score: nothing that q or k could change. O is
 * V, so that D is dP, bit for bit. */
static void one_key_has_no_gradient_but_dV(void **subject)
{
    gradient_case c = problem(9, 1, 21);

    run_as_it_is(&c, *subject);
    for (size_t e = 0; e < 9 * 8; e++)
        assert_true(c.g.dQ.hbm.data[e] == 0);
    for (size_t e = 0; e < 8; e++)
        assert_true(c.g.dK.hbm.data[e] == 0);
    gradient_free(&c);
}

/* Weights sum to 1: so the rows of dV sum to those of dO. */
static void dV_sums_to_dO(void **subject)
{
    gradient_case c = problem(40, 50, 22);

    run_as_it_is(&c, *subject);
    for (size_t k = 0; k < 5; k++) {
        double sum = 0, want = 0, size = 0;

        for (size_t j = 0; j < 50; j++)
            sum += (double)row(c.g.dV.hbm, j)[k];
        for (size_t i = 0; i < 40; i++) {
            want += (double)row(c.g.dO.hbm, i)[k];
            size += fabs((double)row(c.g.dO.hbm, i)[k]);
        }
        assert_close(sum, want, 4e-6 * size);
    }
    gradient_free(&c);
}

/* A row of dS sums to 0: times one and the same key that is dQ. */
static void equal_keys_give_no_dQ(void **subject)
{
    gradient_case c = problem(40, 50, 23);

    for (size_t j = 1; j < 50; j++)
        memcpy(k_of(&c.forward, j), k_of(&c.forward, 0), 8 * sizeof(float));
    run_as_it_is(&c, *subject);
    for (size_t e = 0; e < 40 * 8; e++)
        assert_close(c.g.dQ.hbm.data[e], 0, c.dQ_tolerance);
    gradient_free(&c);
}

/* --- Two runs ------------------------------------------------------------- */

static void copy_of(gradient_case *c, float *all)
{
    const matrix arrays[] = {c->g.dQ.hbm, c->g.dK.hbm, c->g.dV.hbm};

    for (size_t a = 0; a < 3; a++) {
        memcpy(all, arrays[a].data,
               arrays[a].rows * arrays[a].cols * sizeof *all);
        all += arrays[a].rows * arrays[a].cols;
    }
}

static void the_same_problem_gives_the_same_bits(void **subject)
{
    gradient_case c = problem(61, 83, 24);
    float first[61 * 8 + 83 * 8 + 83 * 5], again[61 * 8 + 83 * 8 + 83 * 5];

    case_causal(&c.forward, 22);
    run_as_it_is(&c, *subject);
    copy_of(&c, first);
    for (int k = 0; k < 5; k++) {
        gradient_run(&c, *subject);
        copy_of(&c, again);
        assert_memory_equal(first, again, sizeof first);
    }
    gradient_free(&c);
}

static void only_the_gradients_are_written(void **subject)
{
    gradient_case c = problem(13, 17, 25), before = problem(13, 17, 25);
    const matrix *now[] = {&c.forward.h.Q.hbm, &c.forward.h.K.hbm,
                           &c.forward.h.V.hbm, &c.forward.h.O.hbm,
                           &c.forward.h.L.hbm, &c.forward.h.kept.P.hbm,
                           &c.g.dO.hbm};
    const matrix *then[] = {
        &before.forward.h.Q.hbm, &before.forward.h.K.hbm,
        &before.forward.h.V.hbm, &before.forward.h.O.hbm,
        &before.forward.h.L.hbm, &before.forward.h.kept.P.hbm,
        &before.g.dO.hbm};

    gradient_expect(&before);
    run_as_it_is(&c, *subject);
    for (size_t a = 0; a < 7; a++)
        assert_memory_equal(now[a]->data, then[a]->data,
                            now[a]->rows * now[a]->cols * sizeof(float));
    gradient_free(&c);
    gradient_free(&before);
}

/* --- Nothing beyond ------------------------------------------------------- */

static void nothing_beyond_a_gradient_is_read_or_written(void **subject)
{
    const size_t sizes[][4] = {
        {33, 65, 5, 3}, {17, 47, 9, 70}, {9, 70, 16, 20}, {1, 1, 1, 1}};

    for (size_t k = 0; k < 4; k++) {
        attention_case forward =
            case_of(sizes[k][0], sizes[k][1], sizes[k][2], sizes[k][3]);
        gradient_case c = gradient_case_of(forward);
        matrix *arrays[] = {&c.g.dO.hbm, &c.g.dQ.hbm, &c.g.dK.hbm, &c.g.dV.hbm};
        edge edges[4];

        case_random(&c.forward, k);
        for (size_t a = 0; a < 4; a++)
            edges[a] = to_the_edge(arrays[a]);
        check_tiled_gradients(*subject, &c);
        case_causal(&c.forward, 7);
        check_tiled_gradients(*subject, &c);
        for (size_t a = 0; a < 4; a++)
            back(edges[a]);
        gradient_free(&c);
    }
}

/* --- Heads that share K and V --------------------------------------------- */

/* The second head adds to what the first has left; of some keys, which it
 * doesn't see, that stays as it is. */
static void a_group_adds_up(void **subject)
{
    const tile_sizes sizes[] = {{7, 6}, {3, 16}, {64, 64}};

    for (size_t t = 0; t < 3; t++) {
        gradient_case a = problem(20, 33, 26), b = problem(20, 33, 27);
        size_t K_size = 33 * 8, V_size = 33 * 5;

        memcpy(k_of(&b.forward, 0), k_of(&a.forward, 0),
               K_size * sizeof(float));
        memcpy(v_of(&b.forward, 0), v_of(&a.forward, 0),
               V_size * sizeof(float));
        case_causal(&b.forward, 5);
        a.forward.h.Br = b.forward.h.Br = sizes[t].Br;
        a.forward.h.Bc = b.forward.h.Bc = sizes[t].Bc;
        check_gradients(*subject, &a);

        b.g.add = true;
        memcpy(b.dK, a.dK, K_size * sizeof *b.dK);
        memcpy(b.dV, a.dV, V_size * sizeof *b.dV);
        memcpy(b.g.dK.hbm.data, a.g.dK.hbm.data, K_size * sizeof(float));
        memcpy(b.g.dV.hbm.data, a.g.dV.hbm.data, V_size * sizeof(float));
        check_gradients(*subject, &b);
        gradient_free(&a);
        gradient_free(&b);
    }
}

/* Five heads, of which the first three and the last two share K and V. The
 * first one adds to zeros. Behind the last one memory ends. */
static void heads_at_once_are_heads_one_by_one(void **subject)
{
    const attention_subject *s = *subject;
    gradient_case one[5];
    gradients heads[5];
    float dQ[5][30 * 8], dK[5][33 * 8] = {{0}}, dV[5][33 * 5] = {{0}};
    matrix list = matrix_of((float *)(void *)heads, 1,
                            5 * sizeof(gradients) / sizeof(float));
    memory mem;
    edge end;

    for (size_t n = 0; n < 5; n++) {
        size_t first = n < 3 ? 0 : 3;

        one[n] = problem(30, 33, 30 + n);
        if (n != first) {
            memcpy(k_of(&one[n].forward, 0), k_of(&one[first].forward, 0),
                   33 * 8 * sizeof(float));
            memcpy(v_of(&one[n].forward, 0), v_of(&one[first].forward, 0),
                   33 * 5 * sizeof(float));
            memcpy(one[n].g.dK.hbm.data, one[n - 1].g.dK.hbm.data,
                   sizeof dK[0]);
            memcpy(one[n].g.dV.hbm.data, one[n - 1].g.dV.hbm.data,
                   sizeof dV[0]);
            memcpy(one[n].dK, one[n - 1].dK, 33 * 8 * sizeof(double));
            memcpy(one[n].dV, one[n - 1].dV, 33 * 5 * sizeof(double));
            one[n].g.add = true;
        }
        gradient_expect(&one[n]);
        gradient_run(&one[n], s);
        heads[n] = one[n].g;
        heads[n].dQ.hbm.data = dQ[n];
        heads[n].dK.hbm.data = dK[first];
        heads[n].dV.hbm.data = dV[first];
    }
    heads[0].add = true;
    end = to_the_edge(&list);
    memory_init(&mem, MEMORY_UNBOUNDED);
    assert_int_equal(
        s->backward->run_heads(s->backward, (void *)list.data, 5, &mem),
        MEMORY_OK);
    memory_reset(&mem);
    back(end);
    for (size_t n = 0; n < 5; n++) {
        assert_memory_equal(dQ[n], one[n].g.dQ.hbm.data, sizeof dQ[n]);
        if (n == 2 || n == 4) {
            assert_memory_equal(dK[n == 2 ? 0 : 3], one[n].g.dK.hbm.data,
                                sizeof dK[0]);
            assert_memory_equal(dV[n == 2 ? 0 : 3], one[n].g.dV.hbm.data,
                                sizeof dV[0]);
        }
    }
    for (size_t n = 0; n < 5; n++)
        gradient_free(&one[n]);
    memory_init(&mem, MEMORY_UNBOUNDED);
    assert_int_equal(s->backward->run_heads(s->backward, heads, 0, &mem),
                     MEMORY_OK);
}

const attention_claim gradient_law_claims[] = {
    CLAIM(one_key_has_no_gradient_but_dV, 0),
    CLAIM(dV_sums_to_dO, 0),
    CLAIM(equal_keys_give_no_dQ, 0),
    CLAIM(the_same_problem_gives_the_same_bits, 0),
    CLAIM(only_the_gradients_are_written, 0),
    CLAIM(nothing_beyond_a_gradient_is_read_or_written, 0),
    CLAIM(a_group_adds_up, 0),
    CLAIM(heads_at_once_are_heads_one_by_one, HEADS_AT_ONCE),
    {0},
};
