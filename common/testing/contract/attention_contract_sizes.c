/*
 * Claims of attention_contract.h: any Nq, Nk, d, dv, Br and Bc, ragged tiles
 * above all, and none of something.
 *
 * Each problem comes plain and causal: then the last tile of a row is ragged
 * for another reason.
 */
#include "common/testing/contract/attention_contract.h"
#include "common/testing/edge.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

typedef struct {
    size_t Nq, Nk, d, dv;
} shape;

/* A problem of that shape, plain and then causal, unless it is too much. */
static void check_shape(const attention_step *s, case_filler *fill_in,
                        tiles_fn *sizes, shape of)
{
    attention_case c;

    if (too_much(of.Nq, of.Nk, of.d, of.dv))
        return;
    c = case_of(of.Nq, of.Nk, of.d, of.dv);
    fill_in(&c, of.Nq * 1000 + of.Nk + of.d);
    case_expect(&c, s);
    check_runs(s, &c, sizes);
    case_causal(&c, (long)of.Nk - (long)of.Nq);
    c.M = MEMORY_UNBOUNDED;
    case_expect(&c, s);
    check_runs(s, &c, sizes);
    case_free(&c);
}

/* --- Tiles ---------------------------------------------------------------- */

static bool all_pairs(const attention_step *s, attention_case *c, size_t k)
{
    const size_t sizes[] = {1, 2, 3, 5, 8, 16, 17, 64};
    const size_t n = COUNT(sizes);

    if (k >= (s->tiles ? n * n : 1))
        return false;
    c->h.tile.Br = sizes[k / n];
    c->h.tile.Bc = sizes[k % n];
    return true;
}

/* Tiles by the rules, from the least M to one that holds everything. */
static bool all_M(const attention_step *s, attention_case *c, size_t k)
{
    /* A row of Q, K, V, O; backward also of their gradients. */
    size_t least = (!is_backward(s) ? 2 : 4) * (c->h.d + c->h.dv);

    c->M = k == 0 ? least : c->M * 3 / 2 + 1;
    return c->M < 200 * least;
}

static void every_pair_of_tile_sizes_is_right(const attention_step *s)
{
    check_shape(s, case_exact, all_pairs, (shape){33, 65, 5, 3});
    check_shape(s, case_exact, all_pairs, (shape){64, 16, 3, 5});
    check_shape(s, case_exact, all_pairs, (shape){7, 129, 4, 4});
}

static void tiles_chosen_from_M_are_right(const attention_step *s)
{
    check_shape(s, case_exact, all_M, (shape){33, 65, 5, 3});
    check_shape(s, case_exact, all_M, (shape){64, 47, 8, 8});
}

/* --- Lengths and dimensions ----------------------------------------------- */

static void every_length_is_right(const attention_step *s)
{
    const size_t N[] = {1, 2, 3, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 257};

    for (size_t n = 0; n < COUNT(N); n++)
        check_shape(s, case_exact, N[n] <= 65 ? all_pairs : six_sizes,
                    (shape){N[n], N[n], 8, 8});
}

static void queries_and_keys_may_differ_in_number(const attention_step *s)
{
    const shape of[] = {{1, 239, 8, 5},
                        {3, 799, 8, 5},
                        {113, 203, 8, 5},
                        {127, 65, 8, 5},
                        {64, 33, 8, 5}};

    for (size_t n = 0; n < COUNT(of); n++)
        check_shape(s, case_exact, six_sizes, of[n]);
}

static void every_head_dimension_is_right(const attention_step *s)
{
    const size_t d[] = {1, 2, 3, 5, 31, 33, 64, 100, 128};

    for (size_t n = 0; n < COUNT(d); n++)
        check_shape(s, case_exact, six_sizes, (shape){33, 50, d[n], d[n]});
}

static void values_may_be_wider_or_narrower_than_keys(const attention_step *s)
{
    const size_t d[][2] = {{1, 7},   {64, 3},  {33, 64},
                           {5, 128}, {128, 1}, {31, 100}};

    for (size_t n = 0; n < COUNT(d); n++)
        check_shape(s, case_exact, six_sizes,
                    (shape){17, 50, d[n][0], d[n][1]});
}

static void nothing_of_something_is_right(const attention_step *s)
{
    const shape of[] = {
        {0, 5, 3, 2}, {0, 0, 3, 2}, {5, 0, 3, 2}, {1, 0, 1, 1}, {5, 7, 3, 0}};

    for (size_t n = 0; n < COUNT(of); n++)
        check_shape(s, case_exact, six_sizes, of[n]);
}

/* Scores that fp32 rounds. */
static void random_problems_are_right(const attention_step *s)
{
    const shape of[] = {{33, 65, 5, 3},
                        {257, 40, 20, 64},
                        {65, 129, 64, 64},
                        {17, 257, 128, 31}};

    for (size_t n = 0; n < COUNT(of); n++)
        check_shape(s, case_random, six_sizes, of[n]);
}

/* --- Nothing beyond ------------------------------------------------------- */

static void check_at_the_edge(const attention_step *s, shape of)
{
    attention_case c = case_of(of.Nq, of.Nk, of.d, of.dv);
    head *h = &c.h;
    matrix *arrays[] = {&h->Q.hbm,   &h->K.hbm,   &h->V.hbm,
                        &h->O.hbm,   &h->L.hbm,   &c.g.dO.hbm,
                        &c.g.dQ.hbm, &c.g.dK.hbm, &c.g.dV.hbm};
    edge edges[COUNT(arrays)];
    size_t n = is_backward(s) ? COUNT(arrays) : 6;

    case_random(&c, of.Nk);
    if (is_backward(s))
        case_backward(&c);
    for (size_t a = 0; a < n; a++)
        edges[a] = to_the_edge(arrays[a]);
    check_tiled(s, &c);
    case_causal(&c, 7);
    check_tiled(s, &c);
    for (size_t a = 0; a < n; a++)
        back(edges[a]);
    case_free(&c);
}

static void nothing_beyond_an_array_is_read_or_written(const attention_step *s)
{
    check_at_the_edge(s, (shape){33, 65, 5, 3});
    if (!too_much(17, 47, 9, 70))
        check_at_the_edge(s, (shape){17, 47, 9, 70});
    check_at_the_edge(s, (shape){9, 70, 16, 20});
    check_at_the_edge(s, (shape){1, 1, 1, 1});
}

const attention_claim size_claims[] = {
    {ASKS(every_pair_of_tile_sizes_is_right)},
    {ASKS(tiles_chosen_from_M_are_right)},
    {ASKS(every_length_is_right)},
    {ASKS(queries_and_keys_may_differ_in_number)},
    {ASKS(every_head_dimension_is_right)},
    {ASKS(values_may_be_wider_or_narrower_than_keys)},
    {ASKS(nothing_of_something_is_right)},
    {ASKS(random_problems_are_right)},
    {ASKS(nothing_beyond_an_array_is_read_or_written)},
    {0},
};
