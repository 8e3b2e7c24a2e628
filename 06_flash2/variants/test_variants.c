/*
 * The variants keep the contract of every step; and mla, which does not take
 * every head. (What the others save: test_lazy_paged, test_cascade.)
 */
#include "06_flash2/steps.h"

#include <stdlib.h>
#include <string.h>

#include "common/testing/contract/attention_contract.h"

/* --- mla, for the contract ------------------------------------------------ */

/*
 * Any head is one whose V is in K: put V before K, and zeros before Q, and the
 * scores are the same. So mla can be handed every case that there is.
 */
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
    joined.Br = t.Br;
    joined.Bc = t.Bc;
    mem->M = MEMORY_UNBOUNDED; /* wider rows than M was meant for */
    error = mla(&joined, mem);
    free(data);
    return error;
}

static const attention_step joined_mla = {
    .name = "mla", .run = mla_of_any, .tiles = flash2_tiles};

/* A head of N keys whose V is their first dv columns. */
static attention_case latent(size_t Nq, size_t Nk, size_t d, size_t dv)
{
    attention_case c = case_of(Nq, Nk, d, dv);

    case_random(&c, 3);
    for (size_t j = 0; j < Nk; j++)
        memcpy(v_of(&c, j), k_of(&c, j), dv * sizeof(float));
    return c;
}

static void mla_is_right_where_V_is_in_K(void **state)
{
    const attention_subject s = {.step = &chapter_06_variants[2]};
    attention_case c = latent(23, 41, 9, 6);

    (void)state;
    check_tiled(&s, &c);
    case_causal(&c, 18);
    check_tiled(&s, &c);
    case_free(&c);
    c = latent(5, 7, 4, 4);
    check_tiled(&s, &c);
    case_free(&c);
}

/* Nq d + keys d and O, L: of DeepSeek's 576 + 512 columns 576 are loaded. */
static void mla_loads_no_V(void **state)
{
    const size_t sizes[][2] = {{1, 1}, {4, 4}, {9, 6}, {7, 0}};

    (void)state;
    for (size_t k = 0; k < 4; k++)
        for (size_t Br = 1; Br < 30; Br += 4) {
            size_t d = sizes[k][0], dv = sizes[k][1], keys = tiles(23, Br) * 41;
            attention_case c = latent(23, 41, d, dv);
            counts want;

            c.h.Br = Br;
            c.h.Bc = 5;
            run_kernel(&c, mla);
            assert_int_equal(counts_moved(c.counts),
                             23 * (d + dv + 1) + keys * d);
            want = mla_traffic(&c.h, (tile_sizes){Br, 5});
            assert_int_equal(c.counts.read[ALGORITHM], want.read[ALGORITHM]);
            assert_int_equal(c.counts.written[ALGORITHM],
                             want.written[ALGORITHM]);
            assert_int_equal(c.on_chip,
                             min_size(Br, 23) * (d + dv) + min_size(5, 41) * d);
            case_free(&c);
        }
}

static void mla_refuses_any_other_V(void **state)
{
    attention_case c = latent(3, 4, 5, 2), wide = latent(3, 4, 5, 5);
    const head *const heads[] = {&c.h, &c.h, &wide.h};
    memory mem;

    (void)state;
    wide.h.d = 2; /* its K ends before V, but for what is stored behind it */
    for (size_t k = 0; k < 3; k++) {
        memory_init(&mem, MEMORY_UNBOUNDED);
        if (k < 2) /* in the first key, and in the last */
            v_of(&c, 3 * k)[1] = k_of(&c, 3 * k)[1] + 1;
        assert_int_equal(mla(heads[k], &mem), MEMORY_REFUSED);
        assert_non_null(strstr(mem.message, "first dv columns of K"));
        memory_reset(&mem);
        for (size_t j = 0; j < 4; j++)
            memcpy(v_of(&c, j), k_of(&c, j), 2 * sizeof(float));
    }
    case_free(&c);
    case_free(&wide);
}

/* --- All of them ----------------------------------------------------------- */

/* But for lazy_rescale's rescales; dv is not d. */
static void they_compute_and_keep_what_flash2_does(void **state)
{
    const tile_sizes sizes[] = {{4, 5}, {23, 41}};

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        attention_case c = latent(23, 41, 9, 6);
        memory want, got;

        c.h.Br = sizes[k].Br;
        c.h.Bc = sizes[k].Bc;
        memory_init(&want, MEMORY_UNBOUNDED);
        assert_int_equal(flash2(&c.h, &want), MEMORY_OK);
        for (const attention_step *s = chapter_06_variants; s->name; s++) {
            memory_init(&got, MEMORY_UNBOUNDED);
            assert_int_equal(s->run(&c.h, &got), MEMORY_OK);
            assert_int_equal(got.counts.divisions, want.counts.divisions);
            assert_int_equal(got.scratch, want.scratch);
            /* one for each weight, one for each rescale of l and O */
            assert_int_equal(got.counts.exps - got.counts.rescales / 7,
                             want.counts.exps - want.counts.rescales / 7);
            if (s->run != lazy_rescale)
                assert_int_equal(got.counts.rescales, want.counts.rescales);
            memory_reset(&got);
        }
        memory_reset(&want);
        case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mla_is_right_where_V_is_in_K),
        cmocka_unit_test(mla_loads_no_V),
        cmocka_unit_test(mla_refuses_any_other_V),
        cmocka_unit_test(they_compute_and_keep_what_flash2_does),
    };
    const attention_excuse excuses[] = {
        {"mla", VALUES_ALONE, 0}, {"lazy_rescale", WEIGHTS_TO_1, 0}, {0}};
    const attention_step all[] = {chapter_06_variants[0],
                                  chapter_06_variants[1],
                                  chapter_06_variants[3],
                                  joined_mla,
                                  {0}};

    return run_attention_tests("variants", all, excuses, tests,
                               sizeof tests / sizeof tests[0]);
}
