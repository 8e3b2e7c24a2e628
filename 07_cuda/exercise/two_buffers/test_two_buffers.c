/*
 * Tests of best_key: its results, races, and the copies during products.
 *
 * For the grader:
 *   counted: the_next_tile_is_copied_meanwhile
 *   counted: a_last_tile_may_be_ragged
 *   counted: shared_memory_has_two_tiles
 *   no points: one_tile_has_no_next_one
 *   best_of_keys: n q[QUERIES * D] K[n * D] best[QUERIES] => best
 */
#include "two_buffers.h"

#include <math.h>

#include "07_cuda/exercise/emulator.h"
#include "common/testing/assert_close.h"
#include "common/testing/variant.h"

enum { MOST = 70 * KEYS };

static void check(size_t n)
{
    static float q[QUERIES * D], K[MOST * D], best[QUERIES];
    random_source source = variant_seed(56 + n);
    /* During each copy its thread can load the KEYS keys of a tile. */
    unsigned long long got, most = n < KEYS ? 0 : 16 * KEYS * (n - KEYS);

    random_fill(&source, q, QUERIES * D, 1);
    random_fill(&source, K, n * D, 1);
    assert_nothing_found(best_of_keys(q, K, best, n));
    for (size_t i = 0; i < QUERIES; i++) {
        double want = -HUGE_VAL;

        for (size_t j = 0; j < n; j++) {
            double s = 0;

            for (size_t c = 0; c < D; c++)
                s += (double)q[D * i + c] * (double)K[D * j + c];
            want = fmax(want, s);
        }
        if (!is_close((double)best[i], want, 1e-4))
            fail_msg("%s, query %zu: want %g, got %g",
                     quantity(n, "key", "keys").text, i, want, (double)best[i]);
    }
    got = cuda_on_cpu_counts().global_loaded;
    if (got > 20 * n + 16 * QUERIES)
        fail_msg("%s: %llu bytes were read or copied, and %zu are enough: copy "
                 "each key once",
                 quantity(n, "key", "keys").text, got, 16 * (n + QUERIES));
    got = cuda_on_cpu_counts().loaded_meanwhile;
    if (got < most / 2)
        fail_msg("%s: %llu bytes were loaded for products while a tile was "
                 "copied, and %llu can be: start a tile's copy before the "
                 "products of the tile before, and wait for it after them",
                 quantity(n, "key", "keys").text, got, most);
}

TEST(one_tile_has_no_next_one)
{
    check(KEYS);
    check(5);
    check(0);
}

TEST(the_next_tile_is_copied_meanwhile)
{
    check(2 * KEYS);
    check(variant_size(56, 5, 4, 9) * KEYS);
}

TEST(a_last_tile_may_be_ragged)
{
    check(variant_size(57, 200, 130, 900));
    check(2 * KEYS + 1);
}

TEST(shared_memory_has_two_tiles)
{
    check(MOST);
}
