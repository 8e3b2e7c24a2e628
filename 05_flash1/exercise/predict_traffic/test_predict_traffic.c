/*
 * For the grader:
 *   predict_traffic: Nq Nk d dv Br Bc
 */
#include "predict_traffic.h"

#include "common/memory.h"
#include "common/testing/attention_case.h"
#include "common/testing/rows.h"
#include "common/testing/variant.h"

typedef struct {
    const char *test;
    size_t Nq, Nk, d, dv, Br, Bc;
    const char *why;
} problem;

static void visit_queries(memory *mem, const head *h, array state[2], size_t Br,
                          matrix Q, matrix O, matrix m)
{
    for (span i = first(h->Nq, Br); i.n; i = next(i)) {
        load(mem, &Q, h->Q, i);
        load(mem, &O, h->O, i);
        for (int k = 0; k < 2; k++) {
            load(mem, &m, state[k], i);
            store(mem, state[k], i, m);
        }
        store(mem, h->O, i, O);
    }
}

static void run_loops(memory *mem, const head *h, size_t Br, size_t Bc)
{
    array state[2] = {hbm_scratch(mem, h->Nq, 1, FP32),
                      hbm_scratch(mem, h->Nq, 1, FP32)};
    matrix Q = on_chip(mem, Br, h->d), O = on_chip(mem, Br, h->dv);
    matrix K = on_chip(mem, Bc, h->d), V = on_chip(mem, Bc, h->dv);
    matrix m = scratch(mem, h->Nq, 1);

    assert_int_equal(mem->error, 0);
    fill_as(mem, ALGORITHM, h->O, 0);
    fill_as(mem, ALGORITHM, state[0], 0);
    fill_as(mem, ALGORITHM, state[1], 0);
    for (span j = first(h->Nk, Bc); j.n; j = next(j)) {
        load(mem, &K, h->K, j);
        load(mem, &V, h->V, j);
        visit_queries(mem, h, state, Br, Q, O, m);
    }
    load(mem, &m, state[0], all(h->Nq));
    load(mem, &m, state[1], all(h->Nq));
    store(mem, h->L, all(h->Nq), m);
}

static hbm_traffic counted(problem p)
{
    auto_case c = case_of(p.Nq, p.Nk, p.d, p.dv);
    hbm_traffic t;
    memory mem;

    memory_init(&mem, MEMORY_UNBOUNDED);
    run_loops(&mem, &c.h, p.Br, p.Bc);
    t.read = mem.counts.read[ALGORITHM];
    t.written = mem.counts.written[ALGORITHM];
    memory_reset(&mem);
    return t;
}

static void check(const void *row)
{
    problem p = *(const problem *)row;
    hbm_traffic want = counted(p),
                got = predict_traffic(p.Nq, p.Nk, p.d, p.dv, p.Br, p.Bc);

    if (got.read != want.read || got.written != want.written)
        fail_msg("%s\n  Nq %zu, Nk %zu, d %zu, dv %zu, Br %zu, Bc %zu: want "
                 "%zu read and %zu written, got %zu and %zu",
                 p.why, p.Nq, p.Nk, p.d, p.dv, p.Br, p.Bc, want.read,
                 want.written, got.read, got.written);
}

static void check_row(const void *row)
{
    problem p = *(const problem *)row;
    size_t factor = variant_size(1, 1, 2, 9);

    p.d *= factor;
    p.dv *= factor;
    check(&p);
}

TEST(any_head_in_any_tiles)
{
    random_source source = variant_seed(45);

    for (int k = 0; k < 200; k++) {
        size_t n[6];

        for (int e = 0; e < 6; e++)
            n[e] = 1 + random_below(&source, 30);
        check(&(problem){NULL, n[0], n[1], n[2], n[3], n[4], n[5],
                         "a head of random size"});
    }
}

/* The counts are linear in d and in dv, so the loops run with 1 or 2 columns.
 * No array has the size of this head. */
TEST(a_large_head_needs_64_bits)
{
    problem p = {NULL, 4096, 4096, 1, 1, 64, 16, ""};
    hbm_traffic want = counted(p), of_d, of_dv, got;
    size_t columns = variant_size(2, 4096, 2048, 8192);

    needs_64_bits();
    p.d = 2;
    of_d = counted(p);
    p.d = 1, p.dv = 2;
    of_dv = counted(p);
    want.read += (columns - 1) * (of_d.read + of_dv.read - 2 * want.read);
    want.written += (columns - 1) * (of_dv.written - want.written);
    got = predict_traffic(p.Nq, p.Nk, columns, columns, p.Br, p.Bc);
    if (got.read != want.read || got.written != want.written)
        fail_msg(
            "the number of elements does not fit into an int; use size_t\n"
            "  4096 queries and keys, d and dv %zu, Br 64, Bc 16: want %zu "
            "read and %zu written, got %zu and %zu",
            columns, want.read, want.written, got.read, got.written);
}

int main(void)
{
    static const problem problems[] = {
        {"a_single_tile_of_each", 4, 4, 2, 2, 4, 4,
         "one tile of keys: everything is loaded once, and m and l again for "
         "L"},
        {SAME_TEST, 1, 1, 1, 1, 1, 1,
         "one tile of keys: everything is loaded once, and m and l again for "
         "L"},
        {"the_tiles_of_queries_do_not_matter", 8, 4, 2, 2, 2, 4,
         "each tile of keys loads all queries, for any Br"},
        {"each_tile_of_keys_loads_all_queries", 4, 8, 2, 2, 4, 4,
         "two tiles of keys: Q, O, m and l are loaded twice, K and V once"},
        {"a_last_tile_that_is_not_full_counts", 4, 9, 2, 2, 4, 4,
         "9 keys in tiles of 4 are three tiles: Tc is rounded up"},
        {SAME_TEST, 7, 5, 2, 2, 3, 64, "a tile may be larger than all keys"},
        {"values_have_dv_columns", 4, 8, 3, 1, 2, 4,
         "Q and K have d columns, V and O have dv"},
    };

    return run_table("predict_traffic", check_row, problems);
}
