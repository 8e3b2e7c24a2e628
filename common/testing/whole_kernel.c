/* Tests of a whole kernel (whole_kernel.h). */
#include "common/testing/whole_kernel.h"

#include <math.h>
#include <string.h>

#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"
#include "common/testing/variant.h"

static const char unwritten[] = "an uninitialised element (NaN) was used: is O "
                                "initialised to 0, m to -inf, l to 0?";

static const char not_loaded[] =
    "K and V were not loaded: they are in HBM, and only load copies their rows";

static const char right_first[] =
    "the result must be right before its counts are tested";

/* Elements moved by load and store, for each array of the head, and for arrays
 * that the kernel allocated. Q, K and V of the head `served`, which it gets,
 * have only poison: load copies the rows from h. */
enum { INPUTS = 3, OWN = 5, ARRAYS };
static const char *const names[] = {"Q", "K", "V", "O", "L", "your own arrays"};
static struct {
    const head *h;
    head served;
    size_t by[ARRAYS];
    size_t loads, most_keys; /* most_keys: rows of K or V in one load */
} traffic;

static bool is_part_of(array part, array whole)
{
    uintptr_t at = (uintptr_t)part.hbm.data - (uintptr_t)whole.hbm.data;

    return at < whole.hbm.rows * whole.hbm.cols * sizeof(float);
}

static void serve(void *watcher, bool stored, array a, size_t i0, matrix tile)
{
    const head *h = traffic.h, *s = &traffic.served;
    const array from[INPUTS] = {h->Q, h->K, h->V};
    const array all[] = {s->Q, s->K, s->V, s->O, s->L};
    size_t whose = 0;

    while (whose < OWN && !is_part_of(a, all[whose]))
        whose++;
    traffic.by[whose] += tile.rows * tile.cols;
    traffic.loads += !stored;
    if (stored || whose >= INPUTS)
        return;
    if (whose > 0)
        traffic.most_keys = max_size(traffic.most_keys, tile.rows);
    a.hbm.data = from[whose].hbm.data + (a.hbm.data - all[whose].hbm.data);
    for (size_t r = 0; r < tile.rows; r++)
        memcpy(row(tile, r), row(a.hbm, i0 + r), tile.cols * sizeof(float));
}

static int run_served(const head *h, memory *mem)
{
    head *s = &traffic.served;
    array *const inputs[INPUTS] = {&s->Q, &s->K, &s->V};
    int error;

    memset(&traffic, 0, sizeof traffic);
    traffic.h = h;
    *s = *h;
    for (size_t k = 0; k < INPUTS; k++) {
        size_t size =
            inputs[k]->hbm.rows * inputs[k]->hbm.stride * sizeof(float);

        inputs[k]->hbm.data = malloc(size + !size);
        assert_non_null(inputs[k]->hbm.data);
        memset(inputs[k]->hbm.data, 0xff, size);
    }
    mem->watch = serve;
    error = whole_kernel.run(s, mem);
    for (size_t k = 0; k < INPUTS; k++)
        free(inputs[k]->hbm.data);
    return error;
}

static void run_and_compare(attention_case *c, const char *why)
{
    const head *h = &c->h;
    attention_step step = whole_kernel;

    step.run = run_served;
    case_expect(c, &step);
    case_run(c, &step);
    for (size_t i = 0; i < h->Nq; i++) {
        for (size_t k = 0; k < h->dv; k++) {
            float got = row(h->O.hbm, i)[k];
            double want = c->O[i * h->dv + k];

            if (!is_close_or_nan((double)got, want, c->O_tolerance))
                fail_msg("%s\n  %s in tiles of %zu, %s in tiles of %zu: want "
                         "O[%zu][%zu] = %.6g, got %.6g%s",
                         !is_unwritten(got)       ? why
                         : traffic.most_keys == 0 ? not_loaded
                                                  : unwritten,
                         quantity(h->Nq, "query", "queries").text, h->tile.Br,
                         quantity(h->Nk, "key", "keys").text, h->tile.Bc, i, k,
                         want, (double)got, difference(want, (double)got).text);
        }
        if (!is_close_or_nan((double)*row(h->L.hbm, i), c->L[i],
                             c->L_tolerance + 1e-6 * fabs(c->L[i])))
            fail_msg(
                "L is m + ln l of all keys: want L[%zu] = %.7g, got %.7g%s", i,
                c->L[i], (double)*row(h->L.hbm, i),
                difference(c->L[i], (double)*row(h->L.hbm, i)).text);
    }
}

void whole_kernel_gives(attention_case *c, size_t Br, size_t Bc,
                        const char *why)
{
    c->h.tile.Br = Br;
    c->h.tile.Bc = Bc;
    run_and_compare(c, why);
}

void whole_kernel_does(size_t Nq, size_t Nk, size_t Br, size_t Bc,
                       const char *why)
{
    auto_case c = case_of(Nq, Nk, 4, 3);

    case_exact(&c, Nq + 3 * Nk);
    whole_kernel_gives(&c, Br, Bc, why);
}

attention_case whole_kernel_case(size_t N, size_t d, size_t Br, size_t Bc)
{
    attention_case c = case_of(N, N, d, d);

    case_exact(&c, 14);
    c.h.tile.Br = Br;
    c.h.tile.Bc = Bc;
    return c;
}

/* Fails the test unless the kernel uses tiles: on-chip memory for one tile each
 * of Q, O, K and V, one load per visit to a tile, and K and V loaded again for
 * each tile of queries. */
static void check_tiles(const attention_case *c)
{
    const head *h = &c->h;
    const size_t Br = max_size(h->tile.Br, 1), Bc = h->tile.Bc;
    const size_t room = (Br + Bc) * (h->d + h->dv);
    size_t most = 0, keys = 0;

    for (span i = first(h->Nq, Br); i.n; i = next(i)) {
        most += 1 + 2 * tiles(seen(h, i), Bc);
        keys += seen(h, i);
    }
    if (c->on_chip < room)
        fail_msg("too little on-chip memory for tiles of %zu keys: want %zu "
                 "elements for Q, O, K and V, got %zu",
                 Bc, room, c->on_chip);
    if (traffic.loads > most)
        fail_msg("keys are not loaded in tiles of %zu: want at most %zu loads, "
                 "got %zu",
                 Bc, most, traffic.loads);
    if (traffic.most_keys > Bc)
        fail_msg("keys are not loaded in tiles of %zu: a load has %zu rows", Bc,
                 traffic.most_keys);
    if (traffic.by[1] < keys * h->d || traffic.by[2] < keys * h->dv)
        fail_msg("keys are not loaded in tiles of %zu: want %zu rows of K and "
                 "of V, got %zu and %zu; keep only one tile of each",
                 Bc, keys, traffic.by[1] / h->d, traffic.by[2] / h->dv);
}

void whole_kernel_moves(attention_case *c, size_t keys, const char *formula,
                        const char *why)
{
    const size_t N = c->h.Nq, d = c->h.d, Br = c->h.tile.Br, Bc = c->h.tile.Bc;
    const size_t wanted[ARRAYS] = {N * d, keys * d, keys * d, N * d, N};
    const size_t want = 2 * N * d + N + 2 * keys * d;
    size_t moved, filled;

    run_and_compare(c, right_first);
    moved = filled = c->counts.written[INIT];
    for (size_t a = 0; a < ARRAYS; a++)
        moved += traffic.by[a];
    if (moved == want) {
        check_tiles(c);
        return;
    }
    print_error("too %s HBM traffic: want %s = %zu elements, got %zu\n  %s\n"
                "  N = %zu, d = %zu, tiles of %s and %s\n",
                moved > want ? "much" : "little", formula, want, moved, why, N,
                d, quantity(Br, "query", "queries").text,
                quantity(Bc, "key", "keys").text);
    for (size_t a = 0; a < ARRAYS; a++)
        if (traffic.by[a] != wanted[a])
            print_error("  %s: want %zu, got %zu\n", names[a], wanted[a],
                        traffic.by[a]);
    if (filled > 0)
        print_error("  by fill_as: want 0, got %zu\n", filled);
    fail();
}

void whole_kernel_takes(size_t Br, size_t Bc, const char *what)
{
    auto_case c = case_of(30, 30, 4, 3);
    size_t want = (max_size(Br, 1) + Bc) * (4 + 3), got;

    case_exact(&c, 16);
    c.h.tile.Br = Br;
    c.h.tile.Bc = Bc;
    run_and_compare(&c, right_first);
    got = c.on_chip;
    if (got != want)
        fail_msg("on-chip memory: want %s (%zu elements), got %zu", what, want,
                 got);
    check_tiles(&c);
}

void one_tile_is_attention(void **state)
{
    whole_kernel_does(1, 1, 1, 1, "one key has all the weight: O is its value");
    whole_kernel_does(1, 4, 1, 4,
                      "there is only one tile: is O divided by l at the end?");
}

/* Scores fall from tile to tile, so the first maximum stays. */
void a_second_tile_of_keys_is_added(void **state)
{
    auto_case c = case_of_scores(1, 4, 2);

    for (size_t j = 0; j < 4; j++)
        case_score(&c, j, 3 - (float)j);
    whole_kernel_gives(
        &c, 1, 2, "the maximum stays, and a tile of keys is lost or wrong");
}

void a_larger_maximum_rescales_what_there_is(void **state)
{
    auto_case c = case_of_scores(1, 6, 2);

    for (size_t j = 0; j < 6; j++)
        case_score(&c, j, (float)j);
    whole_kernel_gives(
        &c, 1, 2,
        "the maximum grows in every tile: l and O shrink by e^{old m - new m}");
}

void every_tile_of_queries_initialises_O_m_l(void **state)
{
    whole_kernel_does(2, 4, 2, 4, "each row of a tile has its own O, m and l");
    whole_kernel_does(
        4, 4, 2, 4,
        "initialise O, m and l to 0, -inf and 0 for each tile of queries");
}

void keys_come_once_for_each_tile_of_queries(void **state)
{
    auto_case c = whole_kernel_case(24, 4, 6, 4);

    whole_kernel_moves(
        &c, tiles(24, 6) * 24, "2Nd + N + 2 Tr N d",
        "Q, O and L once, K and V once for each of the Tr tiles of queries");
}

void tiles_need_not_divide_the_sizes(void **state)
{
    for (size_t Nq = 1; Nq <= 7; Nq++)
        for (size_t Nk = 1; Nk <= 9; Nk += 2)
            whole_kernel_does(Nq, Nk, 3, 4, "the last tile has fewer rows");
    whole_kernel_does(5, 6, 64, 64, "a tile may be larger than the head");
}

void each_query_sees_its_own_keys(void **state)
{
    for (long offset = -3; offset <= 5; offset++) {
        auto_case c = case_of(6, 7, 4, 3);

        case_exact(&c, 11);
        case_causal(&c, offset);
        whole_kernel_gives(
            &c, 2, 3,
            "causal: query i sees keys up to i + offset, maybe none at all");
    }
}

void a_masked_first_tile_leaves_no_trace(void **state)
{
    auto_case c = case_of(2, 6, 4, 3);

    case_exact(&c, 12);
    case_mask(&c);
    for (size_t j = 0; j < 4; j++)
        mask_of(&c, 0)[j] = mask_of(&c, 1)[j] = -INFINITY;
    whole_kernel_gives(&c, 2, 2,
                       "the first tile is fully masked: -inf - -inf is NaN, "
                       "and so is 0 / 0");
    for (size_t j = 4; j < 6; j++)
        mask_of(&c, 1)[j] = -INFINITY;
    whole_kernel_gives(
        &c, 2, 2, "a row with nothing to attend to: l is 0, and 0 / 0 is NaN");
}

void any_head_is_right(void **state)
{
    const size_t sizes[] = {1, 2, 5, 16, 40};
    size_t Nq = variant_size(1, 33, 17, 39), Nk = variant_size(2, 37, 17, 39);

    /* The grader serves each load, so small tiles of keys have few queries. */
    for (size_t a = 0; a < 5; a++) {
        size_t Bc = sizes[(2 * a + 1) % 5];
        auto_case c = case_of(min_size(Nq, 7 * Bc), Nk, 8, 5);

        case_random(&c, 13 + a);
        c.h.rule.softcap = a < 2 ? 20 : 0;
        whole_kernel_gives(&c, sizes[a], Bc, "random scores, peaked rows");
    }
}
