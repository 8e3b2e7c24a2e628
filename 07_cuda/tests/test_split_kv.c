/* Tests of rung 12: results, bytes, and the use of all multiprocessors. */
#include <stdlib.h>

#include "common/data/random.h"

#include "07_cuda/host/device.h"
#include "07_cuda/host/padded.h"
#include "07_cuda/tests/heads.h"
#include "07_cuda/tests/no_findings.h"

enum { Br = 64, MULTIPROCESSORS = 2 /* of the emulator */ };

/* Adds the elements of Q, K, V, O and L that a group of heads reads and writes,
 * and the floats of its parts. */
static void formula(const rung_problem *p, const head *h, size_t keys,
                    size_t *read, size_t *written, size_t *floats)
{
    size_t D = (size_t)p->D, Bc = 8192 / D, rows = (size_t)p->group * h->Nq;
    size_t seen_by_any = seen(h, all(h->Nq));

    for (size_t r0 = 0; r0 < rows; r0 += Br) {
        size_t br = min_size(Br, rows - r0), seen_by_br = 0;

        for (size_t r = r0; r < r0 + br; r++)
            seen_by_br = max_size(seen_by_br, seen(h, one(r % h->Nq)));
        size_t parts = tiles(seen_by_br, keys);
        size_t loaded = tiles(seen_by_br, Bc) * Bc;

        *read += parts * br * D + 2 * D * min_size(loaded, seen_by_any);
        *written += br * (D + 1);
        *floats += parts * br * (D + 2);
    }
}

static int keys_of_part;

static int by_keys(const rung_problem *p)
{
    return rung_split_kv_by(p, keys_of_part);
}

/* Runs rung 12 with parts of `keys` keys; 0 means the default number. Fails
 * unless results and bytes are right. */
static void check(const heads_problem *d, int keys, uint64_t seed)
{
    heads_case h;
    layer_case together;
    rung_problem p;
    rung_bytes b;
    size_t read = 0, written = 0, floats = 0, loaded, stored;

    heads_make(&h, step_of(RUNG_split_kv, BF16), d, seed);
    together = layer_of_cases(h.one, h.n, h.group);
    assert_int_equal(
        padded_from(&p, &together.l, BF16,
                    columns_for(&ladder[RUNG_split_kv].needs, d->d)),
        0);
    keys_of_part = keys ? keys : rung_split_kv_keys(&p, MULTIPROCESSORS);
    assert_int_equal(rung_on_device(keys ? by_keys : rung_split_kv, &p, &b), 0);
    padded_to(&together.l, &p);
    for (size_t n = 0; n < d->heads; n += d->group)
        formula(&p, &h.one[n].h, (size_t)keys_of_part, &read, &written,
                &floats);
    heads_check(&h, &together);
    heads_free(&h);
    loaded = (b.loaded[Q_IN] + b.loaded[K_IN] + b.loaded[V_IN]) / 2;
    stored = b.stored[O_OUT] / 2 + b.stored[L_OUT] / 4;
    if (loaded != read || stored != written || b.own_loaded != 4 * floats ||
        b.own_stored != 4 * floats)
        fail_msg("Nq %zu, Nk %zu, d %zu, %zu heads: counted %zu loaded, %zu "
                 "stored, floats of parts %zu and %zu; by formula %zu, %zu, "
                 "%zu",
                 d->Nq, d->Nk, d->d, d->heads, loaded, stored,
                 (size_t)b.own_loaded / 4, (size_t)b.own_stored / 4, read,
                 written, floats);
    padded_free(&p);
}

TEST(few_queries_are_right_and_move_the_bytes_of_the_formula)
{
    static const heads_problem problems[] = {
        {1, 1500, 128, 1, 1, false, 0},  {1, 1500, 64, 8, 8, false, 0},
        {1, 700, 128, 16, 4, true, 640}, {5, 900, 64, 16, 16, true, 895},
        {3, 2100, 128, 6, 3, true, 100}, {40, 600, 64, 4, 2, true, 560},
        {1, 1, 64, 2, 2, false, 0},      {2, 300, 128, 2, 1, true, -1},
        {70, 400, 64, 3, 3, true, 200},
    };

    for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++)
        check(&problems[k], 0, 101 + 20 * k);
}

/* The merge reads 32 parts at a time. These problems have more than 64. */
TEST(many_parts_are_merged)
{
    static const heads_problem problems[] = {
        {3, 4200, 128, 4, 4, true, 4190},
        {1, 8300, 64, 2, 2, false, 0},
    };

    check(&problems[0], 64, 105);
    check(&problems[1], 128, 106);
}

TEST(random_decoding_is_right_and_moves_those_bytes)
{
    random_source source = random_seed(102);

    for (int k = 0; k < 12; k++) {
        heads_problem d = {.Nq = 1 + random_below(&source, 9),
                           .Nk = random_below(&source, 1500),
                           .d = 1 + random_below(&source, 128),
                           .group = 1 + random_below(&source, 4),
                           .limit = k % 2};

        d.heads = d.group * (1 + random_below(&source, 2));
        d.offset = (long)random_below(&source, 1600) - 20;
        check(&d, 0, 103 + 20 * (uint64_t)k);
    }
}

/* Time is counted in tiles, on 132 multiprocessors with two blocks each. The start
 * and end of a block take the time of one more tile. */
TEST(long_keys_keep_all_multiprocessors_busy)
{
    for (int groups = 1; groups <= 300; groups++)
        for (int D = 64; D <= 128; D += 64) {
            rung_problem p = {.heads = 4 * groups,
                              .group = 4,
                              .Nq = 1,
                              .Nk = 65536,
                              .D = D,
                              .offset = 65536};
            int Bc = 8192 / D, keys = rung_split_kv_keys(&p, 132);
            int parts = (p.Nk + keys - 1) / keys;
            double turns = (groups * parts + 263) / 264;
            double all = (double)groups * p.Nk / Bc / 264;
            double least = HUGE_VAL;

            for (int tiles = p.Nk / Bc, n = 1; n <= 264; n++)
                least = fmin(least, ceil(groups * n / 264.0) *
                                        (ceil((double)tiles / n) + 1));
            assert_int_equal(keys % Bc, 0);
            assert_true(turns * (keys / Bc + 1) <= least);
            if (!(turns * keys / Bc <= 1.25 * all))
                fail_msg("%d groups, D %d: %d parts, time %.0f, ideal %.1f",
                         groups, D, parts, turns * keys / Bc, all);
        }
}

/* The carveout must be 100%. With a smaller one a GPU may use so much memory
 * for its L1 cache that only one block fits. */
TEST(two_blocks_can_use_all_shared_memory)
{
    static const heads_problem problems[] = {{1, 300, 64, 1, 1, false, 0},
                                             {1, 300, 128, 1, 1, false, 0}};

    for (int k = 0; k < 2; k++) {
        check(&problems[k], 0, 107);
        assert_true(2 * cuda_on_cpu_counts().most_shared > 114 * 1024);
        assert_int_equal(cuda_on_cpu_counts().carveout, 100);
    }
}

ALSO(the_emulator_found_no_mistake);

int main(void)
{
    cuda_on_cpu_set_seed(7);
    return hopper_runs_here() ? run_tests("split_kv") : 0;
}
