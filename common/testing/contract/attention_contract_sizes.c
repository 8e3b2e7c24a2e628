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

typedef void filler(attention_case *c, uint64_t seed);
typedef void checker(const attention_subject *s, attention_case *c);

/* A problem of that size, plain and then causal, unless it is too much. */
static void check_size(const attention_subject *s, filler *fill_in,
                       checker *check, size_t Nq, size_t Nk, size_t d,
                       size_t dv)
{
    attention_case c;

    if (too_much(s, Nq, Nk, d, dv))
        return;
    c = case_of(Nq, Nk, d, dv);
    fill_in(&c, Nq * 1000 + Nk + d);
    check(s, &c);
    case_causal(&c, (long)Nk - (long)Nq);
    check(s, &c);
    case_free(&c);
}

/* --- Tiles ---------------------------------------------------------------- */

static bool next_pair(const attention_subject *s, attention_case *c, size_t k)
{
    const size_t sizes[] = {1, 2, 3, 5, 8, 16, 17, 64};
    const size_t n = COUNT(sizes);

    if (k >= (has_tiles(s) ? n * n : 1))
        return false;
    c->h.Br = sizes[k / n];
    c->h.Bc = sizes[k % n];
    return true;
}

static void check_all_pairs(const attention_subject *s, attention_case *c)
{
    check_each(s, c, next_pair);
}

static void every_pair_of_tile_sizes_is_right(void **subject)
{
    check_size(*subject, case_exact, check_all_pairs, 33, 65, 5, 3);
    check_size(*subject, case_exact, check_all_pairs, 64, 16, 3, 5);
    check_size(*subject, case_exact, check_all_pairs, 7, 129, 4, 4);
}

/* Tiles by the rules, from the least M to one that holds everything. */
static bool next_M(const attention_subject *s, attention_case *c, size_t k)
{
    /* A row of Q, K, V, O; backward also of their gradients. */
    size_t least = (s->step ? 2 : 4) * (c->h.d + c->h.dv);

    c->M = k == 0 ? least : c->M * 3 / 2 + 1;
    return c->M < 200 * least;
}

static void check_all_M(const attention_subject *s, attention_case *c)
{
    check_each(s, c, next_M);
    c->M = MEMORY_UNBOUNDED;
}

static void tiles_chosen_from_M_are_right(void **subject)
{
    check_size(*subject, case_exact, check_all_M, 33, 65, 5, 3);
    check_size(*subject, case_exact, check_all_M, 64, 47, 8, 8);
}

/* --- Lengths -------------------------------------------------------------- */

static void every_length_is_right(void **subject)
{
    const size_t N[] = {1, 2, 3, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 257};

    for (size_t n = 0; n < COUNT(N); n++)
        check_size(*subject, case_exact,
                   N[n] <= 65 ? check_all_pairs : check_tiled, N[n], N[n], 8,
                   8);
}

static void queries_and_keys_may_differ_in_number(void **subject)
{
    const size_t lengths[][2] = {
        {1, 239}, {3, 799}, {113, 203}, {127, 65}, {64, 33}};

    for (size_t n = 0; n < COUNT(lengths); n++)
        check_size(*subject, case_exact, check_tiled, lengths[n][0],
                   lengths[n][1], 8, 5);
}

/* --- Dimensions ----------------------------------------------------------- */

static void every_head_dimension_is_right(void **subject)
{
    const size_t d[] = {1, 2, 3, 5, 31, 33, 64, 100, 128};

    for (size_t n = 0; n < COUNT(d); n++)
        check_size(*subject, case_exact, check_tiled, 33, 50, d[n], d[n]);
}

static void values_may_be_wider_or_narrower_than_keys(void **subject)
{
    const size_t d[][2] = {{1, 7},   {64, 3},  {33, 64},
                           {5, 128}, {128, 1}, {31, 100}};

    for (size_t n = 0; n < COUNT(d); n++)
        check_size(*subject, case_exact, check_tiled, 17, 50, d[n][0], d[n][1]);
}

/* --- Scores that fp32 rounds ---------------------------------------------- */

static void random_problems_are_right(void **subject)
{
    check_size(*subject, case_random, check_tiled, 33, 65, 5, 3);
    check_size(*subject, case_random, check_tiled, 257, 40, 20, 64);
    check_size(*subject, case_random, check_tiled, 65, 129, 64, 64);
    check_size(*subject, case_random, check_tiled, 17, 257, 128, 31);
}

/* --- None of something ---------------------------------------------------- */

static void no_queries_give_nothing(void **subject)
{
    check_size(*subject, case_exact, check_tiled, 0, 5, 3, 2);
    check_size(*subject, case_exact, check_tiled, 0, 0, 3, 2);
}

static void no_keys_give_zeros(void **subject)
{
    check_size(*subject, case_exact, check_tiled, 5, 0, 3, 2);
    check_size(*subject, case_exact, check_tiled, 1, 0, 1, 1);
}

static void no_value_columns_leave_L(void **subject)
{
    check_size(*subject, case_exact, check_tiled, 5, 7, 3, 0);
}

/* --- Nothing beyond ------------------------------------------------------- */

static void check_at_the_edge(const attention_subject *s, attention_case *c)
{
    matrix *arrays[] = {&c->h.Q.hbm, &c->h.K.hbm, &c->h.V.hbm, &c->h.O.hbm,
                        &c->h.L.hbm};
    edge edges[COUNT(arrays)];

    for (size_t a = 0; a < COUNT(arrays); a++)
        edges[a] = to_the_edge(arrays[a]);
    check_tiled(s, c);
    for (size_t a = 0; a < COUNT(arrays); a++)
        back(edges[a]);
}

static void nothing_beyond_an_array_is_read_or_written(void **subject)
{
    check_size(*subject, case_exact, check_at_the_edge, 33, 65, 5, 3);
    check_size(*subject, case_exact, check_at_the_edge, 17, 47, 9, 70);
    check_size(*subject, case_exact, check_at_the_edge, 1, 1, 1, 1);
}

const attention_claim size_claims[] = {
    CLAIM(every_pair_of_tile_sizes_is_right, 0),
    CLAIM(tiles_chosen_from_M_are_right, 0),
    CLAIM(every_length_is_right, 0),
    CLAIM(queries_and_keys_may_differ_in_number, 0),
    CLAIM(every_head_dimension_is_right, 0),
    CLAIM(values_may_be_wider_or_narrower_than_keys, 0),
    CLAIM(random_problems_are_right, 0),
    CLAIM(nothing_beyond_an_array_is_read_or_written, 0),
    CLAIM(no_queries_give_nothing, 0),
    CLAIM(no_keys_give_zeros, 0),
    CLAIM(no_value_columns_leave_L, 0),
    {0},
};
