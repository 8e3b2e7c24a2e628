#include "speed_lab.h"

#include <math.h>
#include <time.h>

#include "06_flash2/fast/flash2_lanes.c"

#include "common/judge/reference_attention.h"
#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"
#include "common/testing/variant.h"

enum { N = 1024, ROUNDS = 24 };

static float Q[QUERIES_HERE * MOST_D], K[N * MOST_D], V[N * MOST_D];
static float O[QUERIES_HERE * MOST_D];

static void random_inputs(size_t n, size_t d)
{
    random_source r = variant_seed(n + d);

    for (size_t k = 0; k < QUERIES_HERE * d; k++)
        Q[k] = (float)random_normal(&r);
    for (size_t k = 0; k < n * d; k++) {
        K[k] = (float)random_normal(&r);
        V[k] = (float)random_normal(&r);
    }
}

static head head_of(size_t n, size_t d, float scale)
{
    head h = {.Nq = QUERIES_HERE, .Nk = n, .d = d, .dv = d, .scale = scale};

    h.Q.hbm = matrix_of(Q, QUERIES_HERE, d);
    h.K.hbm = matrix_of(K, n, d);
    h.V.hbm = matrix_of(V, n, d);
    h.O.hbm = matrix_of(O, QUERIES_HERE, d);
    return h;
}

static void is_right(size_t n, size_t d, float scale, const char *why)
{
    static double want[QUERIES_HERE * MOST_D];
    head h = head_of(n, d, scale);

    fill(h.O.hbm, NAN);
    speed_lab(Q, K, V, O, n, d, scale);
    assert_int_equal(reference_attention(&h, want, NULL), 0);
    for (size_t e = 0; e < QUERIES_HERE * d; e++)
        if (!is_close((double)O[e], want[e], 1e-4))
            fail_msg("%s\n  %s, d = %zu: want O[%zu][%zu] = %.6g, got %.6g%s",
                     why, quantity(n, "key", "keys").text, d, e / d, e % d,
                     want[e], (double)O[e],
                     difference(want[e], (double)O[e]).text);
}

TEST(one_key_has_all_the_weight)
{
    random_inputs(1, 8);
    is_right(1, 8, 1, "one key: O is its row of V");
}

TEST(growing_scores_rescale_the_past)
{
    random_inputs(128, 2);
    for (size_t k = 0; k < QUERIES_HERE * 2; k++)
        Q[k] = 0.5F;
    for (size_t j = 0; j < 128; j++)
        K[2 * j] = K[2 * j + 1] = 0.05F * (float)j;
    is_right(128, 2, 1, "the maximum grows: rescale O and l");
}

TEST(large_scores_do_not_overflow)
{
    random_inputs(128, 4);
    for (size_t k = 0; k < 128 * 4; k++)
        K[k] = 300;
    for (size_t k = 0; k < QUERIES_HERE * 4; k++)
        Q[k] = 1;
    is_right(128, 4, 1, "e^1200 overflows: subtract the maximum so far");
}

TEST(any_number_of_keys_is_right)
{
    for (size_t n = 2; n < 200; n += 9)
        for (size_t d = 3; d <= MOST_D; d += 61) {
            random_inputs(n, d);
            is_right(n, d, 0.3F, "n and d need not be multiples of a tile");
        }
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the best time of flash2_lanes divided by that of speed_lab. */
static double share_of_lanes(void)
{
    static float tile[(2 * MOST_D + KEYS) * QUERIES]
        __attribute__((aligned(64)));
    static float L[QUERIES_HERE];
    double lanes_took = INFINITY, took = INFINITY;
    head h = head_of(N, MOST_D, 0.125F);

    random_inputs(N, MOST_D);
    h.L.hbm = matrix_of(L, QUERIES_HERE, 1);
    for (int round = 0; round < ROUNDS; round++) {
        double begun = now();

        if (!flash2_lanes_native.attend(&h, &h, tile))
            fail_msg("flash2_lanes returned false");
        lanes_took = fmin(lanes_took, now() - begun);
        begun = now();
        speed_lab(Q, K, V, O, N, MOST_D, h.scale);
        took = fmin(took, now() - begun);
    }
    return lanes_took / took;
}

static void reaches(double least, const char *why)
{
    double share = share_of_lanes();

    /* Repeats a slow measurement: another program may have disturbed it. */
    for (int again = 0; again < 2 && !(share >= least); again++)
        share = fmax(share, share_of_lanes());
    if (!(share >= least))
        fail_msg("%s\n  want %.0f%% of flash2_lanes' speed, got %.0f%%", why,
                 100 * least, 100 * share);
}

TEST(it_has_a_tenth_of_the_speed_of_lanes)
{
    reaches(0.1, "each addition waits for the previous one: use independent "
                 "steps in the innermost loop");
}

TEST(it_has_a_quarter_of_the_speed_of_lanes)
{
    reaches(0.25, "use each loaded number more than once, and rescale once "
                  "for each tile of keys, not for each key");
}
