/*
 * For the grader:
 *   tiles_to_visit: i0 br Nk Bc offset
 */
#include "skip_tiles.h"

#include <stdbool.h>

#include "common/matrix.h"
#include "common/testing/rows.h"
#include "common/testing/variant.h"

/* Checks every pair of a query and a key. */
static tile_range by_scores(size_t i0, size_t br, size_t Nk, size_t Bc,
                            long offset)
{
    tile_range r = {0, 0};
    bool full = true;

    for (size_t j0 = 0; j0 < Nk; j0 += Bc) {
        size_t bc = min_size(Bc, Nk - j0), seen = 0;

        for (size_t i = i0; i < i0 + br; i++)
            for (size_t j = j0; j < j0 + bc; j++)
                seen += (long)j <= (long)i + offset;
        r.visited += seen > 0;
        full = full && seen == br * bc;
        r.full += full;
    }
    return r;
}

typedef struct {
    const char *test;
    size_t i0, br, Nk, Bc;
    long offset;
    const char *why;
} entry;

static void check(const void *row)
{
    const entry *e = row;
    tile_range want = by_scores(e->i0, e->br, e->Nk, e->Bc, e->offset);
    tile_range got = tiles_to_visit(e->i0, e->br, e->Nk, e->Bc, e->offset);

    if (got.full == want.full && got.visited == want.visited)
        return;
    print_error("%s\n  queries %zu to %zu, %s in tiles of %zu, offset "
                "%ld: want %zu full of %zu visited, got %zu of %zu\n",
                e->why, e->i0, e->i0 + e->br - 1,
                quantity(e->Nk, "key", "keys").text, e->Bc, e->offset,
                want.full, want.visited, got.full, got.visited);
    for (size_t i = e->i0; i < e->i0 + e->br && e->Nk <= 32; i++) {
        print_error("  query %2zu sees ", i);
        for (size_t j = 0; j < e->Nk; j++)
            print_error("%s%c", j > 0 && j % e->Bc == 0 ? "|" : "",
                        (long)j <= (long)i + e->offset ? '#' : '.');
        print_error("\n");
    }
    fail();
}

/* VARIANT moves the queries and the last key by some tiles, or adds queries. */
static void check_row(const void *row)
{
    entry e = *(const entry *)row;
    size_t more = e.Bc * variant_size(7, 0, 1, 9);

    if (e.Nk > 0 && (long)e.i0 + e.offset >= 0) {
        e.i0 += more;
        e.Nk += more;
    } else if (e.Nk > 0 && (long)e.br > -e.offset) {
        e.br += more;
    }
    check(&e);
}

TEST(any_tiles_are_right)
{
    size_t from = variant_size(6, 0, 1, 400);

    for (size_t i0 = from; i0 < from + 12; i0 += 3)
        for (size_t br = 1; br <= 5; br++)
            for (size_t Nk = 0; Nk <= 13; Nk++)
                for (size_t Bc = 1; Bc <= 6; Bc++)
                    for (long offset = -8; offset <= 14; offset++)
                        check(&(entry){NULL, i0, br, from + Nk, Bc, offset,
                                       "tiles of any position and size"});
}

int main(void)
{
    static const entry entries[] = {
        {"tiles_that_no_query_sees_are_skipped", 0, 4, 16, 4, 0,
         "the first queries see the first tile alone"},
        {SAME_TEST, 4, 4, 16, 4, 0,
         "tiles beyond the last query's limit are visited"},
        {"the_last_query_decides_what_is_visited", 2, 4, 16, 4, 0,
         "the last query of the tile sees most: visit all tiles that it sees"},
        {"the_first_query_decides_what_is_full", 6, 8, 16, 4, 0,
         "the first query of the tile sees fewest: a tile is full if this "
         "query sees all its keys"},
        {"the_diagonal_itself_is_seen", 3, 1, 16, 4, 0,
         "query 3 sees key 3: four keys, a whole tile"},
        {SAME_TEST, 4, 1, 16, 4, 0,
         "query 4 sees key 4, the first of a new tile"},
        {"there_are_no_tiles_beyond_the_last_key", 40, 4, 16, 4, 0,
         "queries beyond the last key see all tiles, and no more"},
        {SAME_TEST, 0, 4, 12, 4, 100,
         "with an offset beyond the last key all tiles are full"},
        {"the_last_tile_may_be_smaller_and_full", 20, 4, 10, 4, 0,
         "the last tile has fewer keys, and if all are seen it is full"},
        {SAME_TEST, 8, 1, 10, 4, 0,
         "one key of the smaller last tile is not seen"},
        {"an_offset_moves_the_limit", 0, 2, 16, 4, 6,
         "with an offset query i sees i + offset + 1 keys"},
        {SAME_TEST, 8, 2, 16, 4, -3,
         "with an offset query i sees i + offset + 1 keys"},
        {"queries_may_see_nothing", 0, 4, 16, 4, -4,
         "i + offset is below 0: no key, and no tile"},
        {SAME_TEST, 0, 4, 16, 4, -2,
         "some of the queries see no key, others see some"},
        {SAME_TEST, 0, 4, 0, 4, 0, "there are no keys"},
    };

    return run_table("skip_tiles", check_row, entries);
}
