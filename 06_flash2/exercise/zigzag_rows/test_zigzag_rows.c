/*
 * For the grader:
 *   no points: every_row_has_one_owner
 *   no points: chunks_are_consecutive
 *   no points: the_last_rows_have_owners
 *   no points: one_rank_owns_all
 *   zigzag_rows: N P r
 */
#include "zigzag_rows.h"

#include "common/testing/run_tests.h"
#include "common/testing/variant.h"

enum { MOST = 2000, RANKS = 9, DRAWN = 40 };

static void fail_with(size_t N, size_t P, const owned *of)
{
    for (size_t r = 0; r < P && N <= DRAWN; r++) {
        print_error("  rank %zu ", r);
        for (size_t i = 0; i < N; i++) {
            int mine = 0;

            for (size_t half = 0; half < 2; half++)
                mine |= i - of[r].part[half].first < of[r].part[half].n;
            print_error("%c", mine ? '#' : '.');
        }
        print_error("\n");
    }
    fail();
}

/* Fails if a chunk ends after the last row. */
static void get_rows(owned *of, size_t N, size_t P)
{
    for (size_t r = 0; r < P; r++) {
        of[r] = zigzag_rows(N, P, r);
        for (size_t half = 0; half < 2; half++) {
            chunk c = of[r].part[half];

            if (c.n == 0 || (c.n <= N && c.first <= N - c.n))
                continue;
            print_error("rank %zu of %zu owns %s from row %zu on, but "
                        "the head has %zu\n",
                        r, P, quantity(c.n, "row", "rows").text, c.first, N);
            fail();
        }
    }
}

/* A chunk with rows begins where the previous one ends. The last ends at N. */
static void check_order(size_t N, size_t P, const char *why)
{
    owned of[RANKS];
    size_t end = 0;

    get_rows(of, N, P);
    for (size_t c = 0; c < 2 * P; c++) {
        size_t r = c < P ? c : 2 * P - 1 - c, half = c >= P;
        chunk it = of[r].part[half];

        if (it.n > 0 && it.first != end) {
            print_error("%s\n  N = %zu, P = %zu: chunk %zu is part[%zu] of "
                        "rank %zu, want it to begin at row %zu, got %zu\n",
                        why, N, P, c, half, r, end, it.first);
            fail_with(N, P, of);
        }
        end += it.n;
    }
    assert_int_equal(end, N);
}

static void check_owners(size_t N, size_t P, const char *why)
{
    static unsigned owners[MOST];
    owned of[RANKS];

    get_rows(of, N, P);
    for (size_t i = 0; i < N; i++)
        owners[i] = 0;
    for (size_t r = 0; r < P; r++)
        for (size_t half = 0; half < 2; half++)
            for (size_t k = 0; k < of[r].part[half].n; k++)
                owners[of[r].part[half].first + k]++;
    for (size_t i = 0; i < N; i++) {
        if (owners[i] == 1)
            continue;
        print_error("%s\n  N = %zu, P = %zu: row %zu has %u owners\n", why, N,
                    P, i, owners[i]);
        fail_with(N, P, of);
    }
}

static void check_sizes(size_t N, size_t P, const char *why)
{
    owned of[RANKS];
    size_t least = N, most = 0;

    get_rows(of, N, P);
    for (size_t r = 0; r < P; r++)
        for (size_t half = 0; half < 2; half++) {
            size_t n = of[r].part[half].n;

            least = n < least ? n : least;
            most = n > most ? n : most;
        }
    if (most - least <= 1)
        return;
    print_error("%s\n  N = %zu, P = %zu: there are chunks of %zu and of %zu "
                "rows\n",
                why, N, P, least, most);
    fail_with(N, P, of);
}

/* Row i attends to i + 1 keys. */
static size_t pairs_of(const owned *rows)
{
    size_t pairs = 0;

    for (size_t half = 0; half < 2; half++)
        for (size_t k = 0; k < rows->part[half].n; k++)
            pairs += rows->part[half].first + k + 1;
    return pairs;
}

static void check_balance(size_t N, size_t P, size_t allowed, const char *why)
{
    owned of[RANKS];
    size_t least = (size_t)-1, most = 0, all = N * (N + 1) / 2;

    get_rows(of, N, P);
    for (size_t r = 0; r < P; r++) {
        size_t pairs = pairs_of(&of[r]);

        least = pairs < least ? pairs : least;
        most = pairs > most ? pairs : most;
    }
    if (most - least <= allowed)
        return;
    print_error("%s\n  N = %zu, P = %zu: pairs", why, N, P);
    for (size_t r = 0; r < P; r++)
        print_error(" %zu", pairs_of(&of[r]));
    print_error("; all ranks wait for the one with %zu, so the balance is "
                "%.3f\n",
                most, (double)all / (double)P / (double)most);
    fail_with(N, P, of);
}

TEST(two_ranks_share_eight_rows)
{
    size_t N = 8 * variant_size(72, 1, 2, 9);

    check_balance(N, 2, 0, "rows 0 1 and 6 7 cost as much as rows 2 3 and 4 5");
    check_owners(N, 2, "there are four chunks, two for each rank");
}

TEST(every_row_has_one_owner)
{
    check_owners(8, 2, "there are four chunks, two for each rank");
    check_owners(36, 3, "there are six chunks, two for each rank");
}

TEST(chunks_are_consecutive)
{
    check_order(8, 2, "rank 0 owns the first chunk and the last chunk");
    check_order(48, 4, "rank r owns chunks r and 2P - 1 - r");
}

TEST(the_last_rows_have_owners)
{
    const char *why = "2P does not divide N: each remaining row needs an owner";

    check_owners(10, 2, why);
    check_owners(23, 3, why);
}

TEST(chunks_differ_by_a_row_at_most)
{
    const char *why = "each remaining row goes to a different chunk";
    size_t more = variant_size(73, 0, 1, 9);

    check_sizes(10 + 4 * more, 2, why);
    check_sizes(23 + 6 * more, 3, why);
    check_owners(23 + 6 * more, 3, why);
}

TEST(there_may_be_fewer_rows_than_chunks)
{
    size_t P = variant_size(74, 4, 5, RANKS);

    for (size_t N = 2 * P; N-- > 0;) {
        check_owners(N, P, "fewer rows than chunks: some are empty");
        check_sizes(N, P, "fewer rows than chunks: none has two rows");
        check_order(N, P, "fewer rows than chunks: the others are in order");
    }
}

TEST(one_rank_owns_all)
{
    for (size_t N = 0; N < 8; N++)
        check_owners(N, 1, "a single rank owns both chunks");
}

TEST(all_have_the_same_pairs_if_2P_divides_N)
{
    size_t from = variant_size(75, 1, 2, 20);

    for (size_t P = 1; P <= RANKS; P++)
        for (size_t n = from; n < from + 5; n++) {
            check_balance(
                2 * P * n, P, 0,
                "2P divides N: all ranks have the same number of pairs");
            check_owners(2 * P * n, P, "2P divides N: every row has an owner");
        }
}

/* Each of the two chunks may have an extra row, of at most N pairs. */
TEST(a_ragged_rest_costs_two_rows_at_most)
{
    random_source source = variant_seed(71);

    for (size_t k = 0; k < 300; k++) {
        size_t N = random_below(&source, MOST);
        size_t P = 1 + random_below(&source, RANKS);

        check_balance(N, P, 2 * N, "ragged chunks cost two rows of pairs");
        check_owners(N, P, "any number of rows and ranks");
        check_sizes(N, P, "any number of rows and ranks");
        check_order(N, P, "any number of rows and ranks");
    }
}
