/*
 * Claims of gradient_contract.h: any Nq, Nk, d, dv, Br and Bc, ragged tiles
 * above all, any scale and softcap, and none of something.
 */
#include "common/testing/contract/gradient_contract.h"
#include "common/testing/edge.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

typedef void checker(const gradient_subject *s, gradient_case *c);

/* A problem of that size: plain, causal, with a softcap, with both. */
static void check_size(const gradient_subject *s, checker *check, size_t Nq,
                       size_t Nk, size_t d, size_t dv)
{
    attention_case forward = case_of(Nq, Nk, d, dv);
    gradient_case c;

    case_random(&forward, Nq * 1000 + Nk + d);
    c = gradient_case_of(forward);
    check(s, &c);
    c.forward.h.softcap = 1.5f;
    check(s, &c);
    case_causal(&c.forward, (long)Nk - (long)Nq);
    check(s, &c);
    c.forward.h.softcap = 0;
    check(s, &c);
    gradient_free(&c);
}

static void check_all_pairs(const gradient_subject *s, gradient_case *c)
{
    const size_t sizes[] = {1, 2, 3, 5, 8, 16, 17, 64};
    size_t count = s->step->tiles ? COUNT(sizes) : 1;

    gradient_expect(c);
    for (size_t r = 0; r < count; r++)
        for (size_t k = 0; k < count; k++) {
            c->forward.h.Br = sizes[r];
            c->forward.h.Bc = sizes[k];
            gradient_run(c, s);
            gradient_check(c, s);
        }
}

static void every_pair_of_tile_sizes_is_right(void **subject)
{
    check_size(*subject, check_all_pairs, 33, 40, 5, 3);
    check_size(*subject, check_all_pairs, 40, 16, 3, 5);
}

/* Tiles by the rules, from the least M to one that holds everything. */
static void check_all_M(const gradient_subject *s, gradient_case *c)
{
    size_t least = 4 * (c->forward.h.d + c->forward.h.dv);

    gradient_expect(c);
    for (size_t M = least; M < 200 * least; M = M * 3 / 2 + 1) {
        c->forward.M = M;
        gradient_run(c, s);
        gradient_check(c, s);
    }
    c->forward.M = MEMORY_UNBOUNDED;
}

static void tiles_chosen_from_M_are_right(void **subject)
{
    check_size(*subject, check_all_M, 33, 65, 5, 3);
    check_size(*subject, check_all_M, 64, 47, 8, 8);
}

static void every_length_is_right(void **subject)
{
    const size_t N[] = {1, 2, 3, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129};

    for (size_t n = 0; n < COUNT(N); n++)
        check_size(*subject, check_tiled_gradients, N[n], N[n], 8, 8);
}

static void queries_and_keys_may_differ_in_number(void **subject)
{
    const size_t lengths[][2] = {{1, 239}, {3, 399}, {5, 40},   {40, 5},
                                 {100, 1}, {1, 100}, {127, 65}, {64, 33}};

    for (size_t n = 0; n < COUNT(lengths); n++)
        check_size(*subject, check_tiled_gradients, lengths[n][0],
                   lengths[n][1], 8, 5);
}

static void every_head_dimension_is_right(void **subject)
{
    const size_t d[] = {1, 2, 3, 5, 31, 33, 64, 100, 128};

    for (size_t n = 0; n < COUNT(d); n++)
        check_size(*subject, check_tiled_gradients, 33, 50, d[n], d[n]);
}

static void values_may_be_wider_or_narrower_than_keys(void **subject)
{
    const size_t d[][2] = {{1, 7},   {64, 3},  {33, 64},
                           {5, 128}, {128, 1}, {31, 100}};

    for (size_t n = 0; n < COUNT(d); n++)
        check_size(*subject, check_tiled_gradients, 17, 50, d[n][0], d[n][1]);
}

static void long_and_wide_problems_are_right(void **subject)
{
    check_size(*subject, check_tiled_gradients, 130, 130, 64, 64);
    check_size(*subject, check_tiled_gradients, 17, 257, 128, 31);
    check_size(*subject, check_tiled_gradients, 257, 40, 20, 64);
}

/* --- Nothing beyond ------------------------------------------------------- */

static void check_at_the_edge(const gradient_subject *s, gradient_case *c)
{
    head *h = &c->forward.h;
    matrix *arrays[] = {&h->Q.hbm,    &h->K.hbm,    &h->V.hbm,
                        &h->O.hbm,    &h->L.hbm,    &c->g.dO.hbm,
                        &c->g.dQ.hbm, &c->g.dK.hbm, &c->g.dV.hbm};
    edge edges[COUNT(arrays)];

    for (size_t a = 0; a < COUNT(arrays); a++)
        edges[a] = to_the_edge(arrays[a]);
    check_tiled_gradients(s, c);
    for (size_t a = 0; a < COUNT(arrays); a++)
        back(edges[a]);
}

static void nothing_beyond_an_array_is_read_or_written(void **subject)
{
    check_size(*subject, check_at_the_edge, 33, 65, 5, 3);
    check_size(*subject, check_at_the_edge, 17, 47, 9, 70);
    check_size(*subject, check_at_the_edge, 9, 70, 16, 20);
    check_size(*subject, check_at_the_edge, 1, 1, 1, 1);
}

/* --- Scores --------------------------------------------------------------- */

static void the_scale_is_in_dQ_and_dK(void **subject)
{
    const float scales[] = {0, 1, -0.5f, 3, 1e-3f};

    for (size_t k = 0; k < COUNT(scales); k++) {
        attention_case forward = case_of(21, 34, 6, 4);
        gradient_case c;

        case_random(&forward, 5 + k);
        forward.h.scale = scales[k];
        c = gradient_case_of(forward);
        check_tiled_gradients(*subject, &c);
        gradient_free(&c);
    }
}

/* Where it is flat (0.2: all scores at its ends) and where it is not. */
static void a_softcap_s_slope_is_squared(void **subject)
{
    const float softcaps[] = {0.2f, 1, 8, 1000};

    for (size_t k = 0; k < COUNT(softcaps); k++) {
        attention_case forward = case_of(21, 34, 6, 4);
        gradient_case c;

        case_random(&forward, 15 + k);
        forward.h.softcap = softcaps[k];
        c = gradient_case_of(forward);
        check_tiled_gradients(*subject, &c);
        gradient_free(&c);
    }
}

/* --- None of something ---------------------------------------------------- */

static void no_queries_leave_zeros(void **subject)
{
    check_size(*subject, check_tiled_gradients, 0, 5, 3, 2);
    check_size(*subject, check_tiled_gradients, 0, 0, 3, 2);
}

static void no_keys_give_zeros(void **subject)
{
    check_size(*subject, check_tiled_gradients, 5, 0, 3, 2);
    check_size(*subject, check_tiled_gradients, 1, 0, 1, 1);
}

static void no_value_columns_give_zeros(void **subject)
{
    check_size(*subject, check_tiled_gradients, 5, 7, 3, 0);
}

const gradient_claim gradient_size_claims[] = {
    GRADIENT_CLAIM(every_pair_of_tile_sizes_is_right, 0),
    GRADIENT_CLAIM(tiles_chosen_from_M_are_right, 0),
    GRADIENT_CLAIM(every_length_is_right, 0),
    GRADIENT_CLAIM(queries_and_keys_may_differ_in_number, 0),
    GRADIENT_CLAIM(every_head_dimension_is_right, 0),
    GRADIENT_CLAIM(values_may_be_wider_or_narrower_than_keys, 0),
    GRADIENT_CLAIM(long_and_wide_problems_are_right, 0),
    GRADIENT_CLAIM(nothing_beyond_an_array_is_read_or_written, 0),
    GRADIENT_CLAIM(the_scale_is_in_dQ_and_dK, 0),
    GRADIENT_CLAIM(a_softcap_s_slope_is_squared, 0),
    GRADIENT_CLAIM(no_queries_leave_zeros, 0),
    GRADIENT_CLAIM(no_keys_give_zeros, 0),
    GRADIENT_CLAIM(no_value_columns_give_zeros, 0),
    {0},
};
