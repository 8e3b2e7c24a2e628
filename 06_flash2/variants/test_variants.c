/* Tests the contract of all steps on the variants, their savings and costs. */
#include "06_flash2/variants/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/testing/assert_close.h"
#include "common/testing/contract/attention_contract.h"

/* --- mla, for the contract ------------------------------------------------ */

/* Runs mla on any head. It copies V in front of the columns of K, and zeros in
 * front of those of Q, so the scores are unchanged. */
static int mla_of_any(const head *h, memory *mem)
{
    size_t d = h->dv + h->d, n = (h->Nq + h->Nk) * d;
    float *data = calloc(n + 1, sizeof *data);
    tile_sizes t = flash2_tiles(h, mem->M);
    head joined = *h;
    int error;

    assert_non_null(data);
    joined.d = d;
    joined.Q.hbm = matrix_of(data, h->Nq, d);
    joined.K.hbm = matrix_of(data + h->Nq * d, h->Nk, d);
    joined.V.hbm = block(joined.K.hbm, 0, 0, h->Nk, h->dv);
    for (size_t i = 0; i < h->Nq; i++)
        memcpy(row(joined.Q.hbm, i) + h->dv, row(h->Q.hbm, i),
               h->d * sizeof(float));
    for (size_t j = 0; j < h->Nk; j++) {
        memcpy(row(joined.K.hbm, j), row(h->V.hbm, j), h->dv * sizeof(float));
        memcpy(row(joined.K.hbm, j) + h->dv, row(h->K.hbm, j),
               h->d * sizeof(float));
    }
    joined.tile.Br = t.Br;
    joined.tile.Bc = t.Bc;
    mem->M = MEMORY_UNBOUNDED; /* the rows are wider than those of h */
    error = mla(&joined, mem);
    free(data);
    return error;
}

static const attention_step joined_mla = {
    .name = "mla", .run = mla_of_any, .tiles = flash2_tiles};

static attention_case latent(size_t Nq, size_t Nk, size_t d, size_t dv)
{
    attention_case c = case_of(Nq, Nk, d, dv);

    case_random(&c, 3);
    for (size_t j = 0; j < Nk; j++)
        memcpy(v_of(&c, j), k_of(&c, j), dv * sizeof(float));
    return c;
}

/* (In DeepSeek-V2, K has 576 columns, and V is 512 of them.) */
TEST(mla_loads_no_V)
{
    const size_t sizes[][2] = {{1, 1}, {4, 4}, {9, 6}, {7, 0}};

    for (size_t k = 0; k < 4; k++)
        for (size_t Br = 1; Br < 30; Br += 4) {
            size_t d = sizes[k][0], dv = sizes[k][1], keys = tiles(23, Br) * 41;
            auto_case c = latent(23, 41, d, dv);
            counts want;

            c.h.tile.Br = Br;
            c.h.tile.Bc = 5;
            case_run(&c, mla_step);
            assert_int_equal(counts_moved(c.counts),
                             23 * (d + dv + 1) + keys * d);
            want = mla_traffic(&c.h, (tile_sizes){Br, 5});
            assert_int_equal(c.counts.read[ALGORITHM], want.read[ALGORITHM]);
            assert_int_equal(c.counts.written[ALGORITHM],
                             want.written[ALGORITHM]);
            assert_int_equal(c.on_chip,
                             min_size(Br, 23) * (d + dv) + min_size(5, 41) * d);
            assert_int_equal(c.counts.divisions, 23 * dv);
            assert_int_equal(c.counts.exps, 23 * (41 + 9));
            assert_int_equal(c.counts.rescales, 23 * 9 * (1 + dv));
        }
}

TEST(mla_refuses_any_other_V)
{
    auto_case c = latent(3, 4, 5, 2), wide = latent(3, 4, 5, 5);
    const head *const heads[] = {&c.h, &c.h, &wide.h};
    memory mem;

    wide.h.d = 2; /* K has fewer columns than V */
    for (size_t k = 0; k < 3; k++) {
        memory_init(&mem, MEMORY_UNBOUNDED);
        if (k < 2) /* changes V of the first key, then of the last */
            v_of(&c, 3 * k)[1] = k_of(&c, 3 * k)[1] + 1;
        assert_int_equal(mla(heads[k], &mem), MEMORY_REFUSED);
        assert_non_null(strstr(mem.message, "first dv columns of K"));
        memory_reset(&mem);
        for (size_t j = 0; j < 4; j++)
            memcpy(v_of(&c, j), k_of(&c, j), 2 * sizeof(float));
    }
}

/* --- paged_kv ------------------------------------------------------------- */

/* If V were stored in the type of K, its values would change. */
TEST(pages_have_the_types_of_K_and_of_V)
{
    auto_case c = case_of(7, 100, 6, 5);

    case_random(&c, 8);
    c.h.K.type = BF16;
    for (size_t k = 0; k < 100 * 6; k++)
        c.h.K.hbm.data[k] = round_to(BF16, c.h.K.hbm.data[k]);
    case_expect(&c, paged_kv_step);
    case_run(&c, paged_kv_step);
    case_check(&c, paged_kv_step);
}

/* --- lazy_rescale --------------------------------------------------------- */

/* Each of the N scores exceeds the previous score by `by`. */
static counts rising(const attention_step *step, size_t N, float by)
{
    auto_case c = case_of_scores(1, N, 2);

    for (size_t j = 0; j < N; j++)
        case_score(&c, j, by * (float)j);
    c.h.tile.Br = c.h.tile.Bc = 1;
    case_run(&c, step);
    return c.counts;
}

/* m changes at each key whose score exceeds it by more than ln 256 = 5.545. So
 * floor(5.545 / by) keys after each change do not change m. */
TEST(rising_scores_rescale_once_per_ln_256)
{
    for (size_t N = 1; N < 60; N += 7)
        for (float by = 0.25f; by < 8; by += 0.25f) {
            size_t stays = (size_t)(logf(256) / by);
            size_t moves = 1 + (N - 1) / (stays + 1);
            counts seldom = rising(lazy_rescale_step, N, by);
            counts eager = rising(flash2_step, N, by);

            assert_int_equal(seldom.rescales, moves * (1 + 2));
            assert_int_equal(seldom.exps, N + moves);
            assert_int_equal(seldom.divisions, 2);
            assert_int_equal(eager.rescales, N * (1 + 2));
            assert_int_equal(eager.exps, 2 * N);
            assert_int_equal(counts_moved(seldom), counts_moved(eager));
        }
    /* A rise of exactly tau does not change m. The next larger float does. */
    assert_int_equal(rising(lazy_rescale_step, 2, 5.545177f).rescales, 3);
    assert_int_equal(
        rising(lazy_rescale_step, 2, nextafterf(5.545177f, 6)).rescales, 6);
}

/* V is 1.5 * 2^120, and fp32 overflows at 2^128. The second score exceeds m by
 * 5.54, so its weight is nearly 256, and O overflows. */
TEST(the_price_is_a_weight_of_256)
{
    auto_case c = case_of_scores(1, 2, 1);

    case_score(&c, 0, 0);
    case_score(&c, 1, 5.54f);
    case_same_values(&c, 1.5f * 0x1p120f);
    c.h.tile.Br = c.h.tile.Bc = 1;
    case_run(&c, flash2_step);
    assert_close(*c.h.O.hbm.data * 0x1p-120f, 1.5, 1e-6);
    case_run(&c, lazy_rescale_step);
    assert_close(*c.h.O.hbm.data, HUGE_VAL, 0);
}

int main(void)
{
    const attention_excuse excuses[] = {
        {"mla", VALUES_ALONE, 0, 0}, {"lazy_rescale", WEIGHTS_TO_1, 0, 0}, {0}};
    const attention_step all[] = {
        *lazy_rescale_step, *paged_kv_step, *cascade_step, joined_mla, {0}};

    return run_attention_tests("variants", all, excuses);
}
