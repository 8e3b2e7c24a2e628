/*
 * Tests of sizes. Each problem is run with and without a causal limit,
 * because the limit also shortens the last tile of a row.
 */
#include "common/testing/contract/attention_contract.h"
#include "common/testing/edge.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Sets all 64 pairs of 8 tile sizes; for more than 65 queries only six. */
static bool all_pairs(const attention_step *s, attention_case *c, size_t k)
{
    const size_t sizes[] = {1, 2, 3, 5, 8, 16, 17, 64};
    const size_t n = COUNT(sizes);

    if (c->h.Nq > 65)
        return six_sizes(s, c, k);
    if (k >= (s->tiles ? n * n : 1))
        return false;
    c->h.tile.Br = sizes[k / n];
    c->h.tile.Bc = sizes[k % n];
    return true;
}

/* Sets M, from the smallest to one that is large enough for all rows; for a step
 * without a choice of tiles only two. */
static bool all_M(const attention_step *s, attention_case *c, size_t k)
{
    /* One row each of Q, K, V and O; for a backward step also of dQ, dK, dV and
     * dO. */
    size_t least = (!is_backward(s) ? 2 : 4) * (c->h.d + c->h.dv);

    c->M = k == 0 ? least : s->tiles ? c->M * 3 / 2 + 1 : 100 * least;
    return c->M < 200 * least && (s->tiles || k < 2);
}

static const size_t for_tiles[][4] = {
    {33, 65, 5, 3}, {64, 16, 3, 5}, {7, 129, 4, 4}};
static const size_t for_M[][4] = {{33, 65, 5, 3}, {64, 47, 8, 8}};
static const size_t of_lengths[][4] = {
    {1, 1, 8, 8},     {2, 2, 8, 8},     {3, 3, 8, 8},   {15, 15, 8, 8},
    {16, 16, 8, 8},   {17, 17, 8, 8},   {31, 31, 8, 8}, {33, 33, 8, 8},
    {63, 63, 8, 8},   {64, 64, 8, 8},   {65, 65, 8, 8}, {127, 127, 8, 8},
    {129, 129, 8, 8}, {257, 257, 8, 8}, {1, 239, 8, 5}, {3, 799, 8, 5},
    {113, 203, 8, 5}, {127, 65, 8, 5},  {64, 33, 8, 5}};
static const size_t of_columns[][4] = {
    {33, 50, 1, 1},     {33, 50, 2, 2},   {33, 50, 3, 3},   {33, 50, 5, 5},
    {33, 50, 31, 31},   {33, 50, 33, 33}, {33, 50, 64, 64}, {33, 50, 100, 100},
    {33, 50, 128, 128}, {17, 50, 1, 7},   {17, 50, 64, 3},  {17, 50, 33, 64},
    {17, 50, 5, 128},   {17, 50, 128, 1}, {17, 50, 31, 100}};
static const size_t of_nothing[][4] = {
    {0, 5, 3, 2}, {0, 0, 3, 2}, {5, 0, 3, 2}, {1, 0, 1, 1}, {5, 7, 3, 0}};
static const size_t at_random[][4] = {
    {33, 65, 5, 3}, {257, 40, 20, 64}, {65, 129, 64, 64}, {17, 257, 128, 31}};

static void check_at_the_edge(const attention_step *s, size_t Nq, size_t Nk,
                              size_t d, size_t dv)
{
    auto_case c = case_of(Nq, Nk, d, dv);
    head *h = &c.h;
    matrix *arrays[] = {&h->Q.hbm,   &h->K.hbm,   &h->V.hbm,
                        &h->O.hbm,   &h->L.hbm,   &c.g.dO.hbm,
                        &c.g.dQ.hbm, &c.g.dK.hbm, &c.g.dV.hbm};
    edge edges[COUNT(arrays)];
    size_t n = is_backward(s) ? COUNT(arrays) : 6;

    case_random(&c, Nk);
    if (is_backward(s))
        case_backward(&c);
    for (size_t a = 0; a < n; a++)
        edges[a] = to_the_edge(arrays[a]);
    check_tiled(s, &c);
    case_causal(&c, 7);
    check_tiled(s, &c);
    for (size_t a = 0; a < n; a++)
        back(edges[a]);
}

static void nothing_beyond_an_array_is_read_or_written(const attention_step *s)
{
    check_at_the_edge(s, 33, 65, 5, 3);
    if (!too_much(17, 47, 9, 70))
        check_at_the_edge(s, 17, 47, 9, 70);
    check_at_the_edge(s, 9, 70, 16, 20);
    check_at_the_edge(s, 1, 1, 1, 1);
}

#define SHAPES(test, list, how, sizes)                                         \
    .name = #test, .shapes = list, .problems = COUNT(list), .fill = how,       \
    .tiles = sizes, .causal_too = true

const attention_test size_tests[] = {
    {SHAPES(every_pair_of_tile_sizes_is_right, for_tiles, case_exact,
            all_pairs)},
    {SHAPES(tiles_chosen_from_M_are_right, for_M, case_exact, all_M)},
    {SHAPES(every_length_is_right, of_lengths, case_exact, all_pairs)},
    {SHAPES(every_head_dimension_is_right, of_columns, case_exact, six_sizes)},
    {SHAPES(sizes_of_0_are_right, of_nothing, case_exact, six_sizes)},
    {SHAPES(random_problems_are_right, at_random, case_random, six_sizes)},
    {CHECK(nothing_beyond_an_array_is_read_or_written)},
    {0},
};
