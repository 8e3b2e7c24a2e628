/*
 * Tests of the kernel: its results, loads and barriers, on the emulator.
 *
 * For the grader:
 *   points: 30
 *   race: 15
 *   counted: each_block_loads_K_and_V_once
 *   counted: two_barriers_per_tile_are_enough
 *   attention_on_device: n Q_K_V[3 * n * D] O[n * D] => O
 */
#include "write_kernel.h"

#include <math.h>

#include "07_cuda/exercise/emulator.h"
#include "common/judge/reference_attention.h"
#include "common/testing/assert_close.h"
#include "common/testing/rows.h"
#include "common/testing/variant.h"

enum { MOST = 200, MOST_KEYS = 3 * QUERIES }; /* MOST_KEYS: of all tests */

static float in[3 * MOST * D];

/* The scores of n keys have about the standard deviation sigma, and rise by
 * `rising` from each key to the next. */
typedef struct {
    const char *test;
    size_t n;
    double sigma;
    float rising;
    const char *why;
} entry;

/* Runs the kernel. Fails if O is wrong. */
static void check(const void *row)
{
    const entry *e = row;
    const size_t n = e->n;
    static float O[MOST * D];
    static double want[MOST * D];
    head h = {.Nq = n, .Nk = n, .d = D, .dv = D, .scale = 0.25f};
    random_source source = variant_seed(60 + n);

    random_fill(&source, in, 3 * n * D, 1);
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < D; c++)
            in[i * D + c] *= (float)e->sigma;
        in[i * D] = 4;
        in[(n + i) * D] = e->rising * (float)i;
    }
    for (size_t k = 0; k < n * D; k++)
        O[k] = NAN;
    assert_nothing_found(attention_on_device(in, O, n));
    h.Q.hbm = matrix_of(in, n, D);
    h.K.hbm = matrix_of(in + n * D, n, D);
    h.V.hbm = matrix_of(in + 2 * n * D, n, D);
    assert_int_equal(reference_attention(&h, want, NULL), 0);
    for (size_t k = 0; k < n * D; k++)
        if (!is_close((double)O[k], want[k], 1e-3))
            fail_msg("%s: n = %zu: want O[%zu][%zu] = %g, got %g", e->why, n,
                     k / D, k % D, want[k], (double)O[k]);
}

/* Fails if a block loads Q, K or V twice or has room for all keys, or if a
 * thread moves four times its share. Returns the number of barriers. */
static unsigned long long check_loads(size_t blocks)
{
    const size_t n = blocks * QUERIES;
    const unsigned long long want = 4 * (n * D + 2 * blocks * n * D);
    const unsigned long long most = 4 * 4 * (2 * D + 2 * n * D / QUERIES);
    const size_t room = sizeof(float) * 2 * D * MOST_KEYS;
    struct cuda_counts c;

    check(&(entry){SAME_TEST, n, 1, 0, "whole blocks"});
    c = cuda_on_cpu_counts();
    if (c.global_loaded > want)
        fail_msg("%llu bytes were loaded, and %llu are enough: Q once, K and V "
                 "once for each of %s",
                 c.global_loaded, want,
                 quantity(blocks, "block", "blocks").text);
    if (c.busiest > most)
        fail_msg("a thread loads and stores %llu bytes, and %llu are enough: "
                 "each has one query and a part of each tile's copy",
                 (unsigned long long)c.busiest, most / 4);
    if (c.static_shared + c.private_bytes >= room)
        fail_msg("shared memory and a thread's variables have %llu bytes, and "
                 "a tile of K and V has %zu: do not keep all keys",
                 (unsigned long long)(c.static_shared + c.private_bytes),
                 sizeof(float) * 2 * D * KEYS);
    return c.barriers;
}

TEST(each_block_loads_K_and_V_once)
{
    check_loads(2);
}

TEST(two_barriers_per_tile_are_enough)
{
    unsigned long long got = check_loads(1);

    if (got > 4)
        fail_msg("2 tiles need at most 4 barriers, and the kernel has %llu",
                 got);
}

int main(void)
{
    const entry entries[] = {
        {"one_key_is_its_value", 1, 1, 0,
         "with one key O is its value, for any score"},
        {"one_tile_is_attention", KEYS, 0, 0,
         "equal scores: O is the mean of V, so divide by l"},
        {SAME_TEST, KEYS, 0, -0.5f,
         "scores that fall: is each score q . k / 4?"},
        {"a_larger_maximum_rescales_l_and_o", 2 * KEYS, 0.5, 0.5f,
         "the maximum grows: multiply l and o by e^{old m - new m}"},
        {"a_second_tile_is_added", KEYS, 1, 0,
         "one tile: is m the maximum of its scores?"},
        {SAME_TEST, 2 * KEYS, 1, 0, "two tiles of keys"},
        {"high_scores_do_not_overflow", KEYS, 0.5, 10,
         "e^300 overflows: subtract the maximum first"},
        {"blocks_have_their_own_queries", MOST_KEYS, 1, 0, "three blocks"},
        {"n_need_not_be_a_multiple_of_a_tile", 5, 1, 0,
         "fewer keys than a tile"},
        {SAME_TEST, variant_size(61, 100, 65, 190), 1, 0,
         "the last tile and the last block are not full"},
    };

    return run_table("write_kernel", check, entries);
}
