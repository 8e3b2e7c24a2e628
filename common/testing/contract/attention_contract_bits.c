/* Tests of results that are equal bit for bit, and of several heads. */
#include "common/testing/contract/attention_contract.h"
#include "common/testing/edge.h"
#include "common/testing/layer_case.h"
#include "common/threads.h"

#include <string.h>

static attention_case problem(size_t Nq, size_t Nk, uint64_t seed)
{
    attention_case c = case_of(Nq, Nk, 8, 5);

    case_random(&c, seed);
    c.h.tile.Br = 7;
    c.h.tile.Bc = 16;
    return c;
}

static void assert_same(const attention_step *s, matrix got, matrix want,
                        const char *what)
{
    for (size_t i = 0; i < got.rows; i++)
        for (size_t k = 0; k < got.cols; k++)
            if (memcmp(&row(got, i)[k], &row(want, i)[k], sizeof(float)) != 0)
                fail_msg("%s: %s[%zu][%zu] is %.9g, and was %.9g", s->name,
                         what, i, k, (double)row(got, i)[k],
                         (double)row(want, i)[k]);
}

static void assert_same_output(const attention_step *s, const attention_case *a,
                               const attention_case *b)
{
    const char *const names[] = {"O", "L", "dQ", "dK", "dV"};
    const matrix got[] = {a->h.O.hbm, a->h.L.hbm, a->g.dQ.hbm, a->g.dK.hbm,
                          a->g.dV.hbm};
    const matrix want[] = {b->h.O.hbm, b->h.L.hbm, b->g.dQ.hbm, b->g.dK.hbm,
                           b->g.dV.hbm};
    size_t first = is_backward(s) ? 2 : 0, end = is_backward(s) ? 5 : 2;

    for (size_t k = first; k < end; k++)
        assert_same(s, got[k], want[k], names[k]);
}

/* The number of threads changes neither the bits nor the counts. */
static void a_second_run_gives_the_same_bits(const attention_step *s)
{
    const size_t sizes[][2] = {{3, 2100}, {130, 90}};
    const size_t threads[] = {2, 17}, usual = thread_count();

    for (size_t k = 0; k < 2; k++) {
        size_t Nq = sizes[k][0], Nk = sizes[k][1];

        if (too_much(Nq, Nk, 8, 5))
            continue;
        auto_case a = problem(Nq, Nk, k), b = problem(Nq, Nk, k);
        case_causal(&a, (long)Nk - (long)Nq);
        case_causal(&b, (long)Nk - (long)Nq);
        case_expect(&a, s);
        case_expect(&b, s);
        use_threads(1);
        case_run(&a, s);
        for (size_t t = 0; t < 2; t += one_in_if_slow(2)) {
            use_threads(threads[t]);
            case_run(&b, s);
            assert_same_output(s, &a, &b);
            assert_memory_equal(&b.counts, &a.counts, sizeof a.counts);
            assert_int_equal(b.on_chip, a.on_chip);
            assert_int_equal(b.extra, a.extra);
        }
        use_threads(usual);
    }
}

static void the_inputs_stay_unchanged(const attention_step *s)
{
    auto_case now = problem(13, 17, 25), then = problem(13, 17, 25);
    const head *a = &now.h, *b = &then.h;

    if (!is_excused(MASKS)) {
        case_mask(&now);
        case_mask(&then);
    }
    case_expect(&now, s);
    case_expect(&then, s);
    case_run(&now, s);
    const array got[] = {a->Q, a->K, a->V, a->rule.mask, now.g.dO,
                         a->P, a->m, a->l, a->O,         a->L};
    const array want[] = {b->Q, b->K, b->V, b->rule.mask, then.g.dO,
                          b->P, b->m, b->l, b->O,         b->L};
    const char *const names[] = {"Q", "K", "V", "mask", "dO",
                                 "P", "m", "l", "O",    "L"};

    for (size_t k = 0; k < (is_backward(s) ? 10 : 8); k++)
        assert_same(s, got[k].hbm, want[k].hbm, names[k]);
}

static void copy(matrix to, matrix from)
{
    memcpy(to.data, from.data, to.rows * to.cols * sizeof(float));
}

/* A causal row does not depend on later keys, so a problem with only the first
 * n tokens gives the same first n rows. */
static void a_causal_prefix_has_the_same_bits(const attention_step *s)
{
    const size_t prefixes[] = {1, 2, 16, 31, 32, 33, 48, 63};
    auto_case c = problem(64, 64, 41);

    case_causal(&c, 0);
    case_run(&c, s);
    for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0]; k++) {
        auto_case part = problem(prefixes[k], prefixes[k], 41);

        copy(part.h.Q.hbm, c.h.Q.hbm);
        copy(part.h.K.hbm, c.h.K.hbm);
        copy(part.h.V.hbm, c.h.V.hbm);
        case_causal(&part, 0);
        case_run(&part, s);
        assert_same_output(s, &part, &c);
    }
}

static void
heads_at_once_give_the_bits_of_separate_runs(const attention_step *s)
{
    enum { HEADS = 3 };
    attention_case one[HEADS], all[HEADS];
    layer_case together;
    memory mem;

    memory_init(&mem, 2048);
    for (size_t n = 0; n < HEADS; n++) {
        one[n] = case_of(29, 41, 8, 5);
        all[n] = case_of(29, 41, 8, 5);
        case_random(&one[n], 50 + n);
        case_random(&all[n], 50 + n);
        one[n].M = mem.M;
        case_run(&one[n], s);
    }
    together = layer_of_cases(all, HEADS, 1);
    assert_int_equal(s->run_layer(s, &together.l, &mem), MEMORY_OK);
    layer_to_cases(&together, all);
    for (size_t n = 0; n < HEADS; n++) {
        assert_same_output(s, &all[n], &one[n]);
        case_free(&one[n]);
        case_free(&all[n]);
    }
    memory_reset(&mem);
}

static void share(attention_case *c, const attention_case *with)
{
    size_t keys = with->h.Nk;

    copy(c->h.K.hbm, with->h.K.hbm);
    copy(c->h.V.hbm, with->h.V.hbm);
    copy(c->g.dK.hbm, with->g.dK.hbm);
    copy(c->g.dV.hbm, with->g.dV.hbm);
    memcpy(c->dK, with->dK, keys * with->h.d * sizeof *c->dK);
    memcpy(c->dV, with->dV, keys * with->h.dv * sizeof *c->dV);
    c->g.add = true;
}

/* The second head adds to dK and dV of the first head. It does not see all
 * keys: dK and dV of the keys that it does not see stay unchanged. */
static void a_group_adds_up(const attention_step *s)
{
    const tile_sizes sizes[] = {{7, 6}, {3, 16}, {64, 64}};

    for (size_t t = 0; t < 3; t++) {
        auto_case a = problem(20, 33, 26), b = problem(20, 33, 27);

        case_causal(&b, 5);
        a.h.tile.Br = b.h.tile.Br = sizes[t].Br;
        a.h.tile.Bc = b.h.tile.Bc = sizes[t].Bc;
        check_case(s, &a);
        case_backward(&b);
        share(&b, &a);
        check_case(s, &b);
    }
}

/* There are five heads. The first three share K and V, and so do the last two.
 * The first head adds to zeros. */
static void
heads_at_once_give_the_gradients_of_separate_runs(const attention_step *s)
{
    enum { HEADS = 5 };
    const backward_step *step = backward_of(s);
    attention_case one[HEADS], all[HEADS];
    gradients heads[HEADS];
    matrix list = matrix_of((float *)(void *)heads, 1,
                            HEADS * sizeof(gradients) / sizeof(float));
    memory mem;
    edge end;

    for (size_t n = 0; n < HEADS; n++) {
        size_t first = n < 3 ? 0 : 3;

        one[n] = problem(30, 33, 30 + n);
        all[n] = problem(30, 33, 30 + n);
        case_backward(&one[n]);
        case_backward(&all[n]);
        if (n != first) {
            share(&one[n], &one[n - 1]);
            share(&all[n], &one[n - 1]);
        }
        expect_gradients(&one[n]);
        expect_gradients(&all[n]);
        case_run(&one[n], s);
        heads[n] = all[n].g;
        heads[n].dK = all[first].g.dK;
        heads[n].dV = all[first].g.dV;
    }
    heads[0].add = true;
    fill(heads[0].dK.hbm, 0);
    fill(heads[0].dV.hbm, 0);

    end = to_the_edge(&list);
    memory_init(&mem, MEMORY_UNBOUNDED);
    assert_int_equal(step->run_heads(step, (void *)list.data, HEADS, &mem),
                     MEMORY_OK);
    assert_int_equal(step->run_heads(step, heads, 0, &mem), MEMORY_OK);
    memory_reset(&mem);
    back(end);
    for (size_t n = 0; n < HEADS; n++) {
        assert_same(s, heads[n].dQ.hbm, one[n].g.dQ.hbm, "dQ");
        if (n != 2 && n != 4)
            continue; /* later heads add to this dK and dV */
        assert_same(s, heads[n].dK.hbm, one[n].g.dK.hbm, "dK");
        assert_same(s, heads[n].dV.hbm, one[n].g.dV.hbm, "dV");
    }
    for (size_t n = 0; n < HEADS; n++) {
        case_free(&one[n]);
        case_free(&all[n]);
    }
}

const attention_test bit_tests[] = {
    {CHECK(a_second_run_gives_the_same_bits)},
    {CHECK(the_inputs_stay_unchanged)},
    {CHECK(a_causal_prefix_has_the_same_bits),
     .needs = FORWARD_ALONE | SAME_BITS},
    {CHECK(heads_at_once_give_the_bits_of_separate_runs),
     .needs = FORWARD_ALONE | HEADS_AT_ONCE},
    {CHECK(a_group_adds_up), .needs = BACKWARD_ALONE},
    {CHECK(heads_at_once_give_the_gradients_of_separate_runs),
     .needs = BACKWARD_ALONE | HEADS_AT_ONCE},
    {0},
};
