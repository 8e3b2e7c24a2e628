/* Tests the backward steps of chapter 06. */
#include "06_flash2/backward/steps.h"

#include <math.h>
#include <string.h>

#include "06_flash2/backward/fast_backward.h"
#include "common/testing/contract/attention_contract.h"
#include "common/testing/edge.h"

#define flash2_back tested(&chapter_06_backward[0])
#define two_kernels tested(&chapter_06_backward[1])

static attention_case problem(size_t N, size_t d, tile_sizes t)
{
    attention_case c = case_of(N, N, d, d);

    case_random(&c, N);
    c.h.tile.Br = t.Br;
    c.h.tile.Bc = t.Bc;
    expect_gradients(&c);
    return c;
}

TEST(each_kernel_computes_the_weights_once)
{
    const attention_step *const steps[] = {flash2_back, two_kernels};

    for (size_t k = 0; k < 2; k++) {
        auto_case c = problem(33, 6, (tile_sizes){3, 7});

        case_run(&c, steps[k]);
        assert_int_equal(c.counts.exps, (k + 1) * 33 * 33);
        assert_int_equal(c.counts.divisions, 0);
        assert_int_equal(c.extra, 33);
    }
}

/* Lines 10, 15 and 16 of Algorithm 2 leave out the scale. So its dQ is the
 * gradient for scale 1 instead of 1 / sqrt(d). */
TEST(the_paper_without_scale_gives_another_gradient)
{
    auto_case c = problem(17, 16, (tile_sizes){4, 8});
    double most = 0;

    c.h.scale = 1;
    case_run(&c, flash2_back);
    for (size_t e = 0; e < 17 * 16; e++) {
        double off = fabs((double)c.g.dQ.hbm.data[e] - c.dQ[e]);

        assert_true(off >= 0); /* not NaN */
        most = fmax(most, off);
    }
    assert_true(most > 1000 * c.dQ_tolerance);
}

static void add_elements(void *watcher, bool stored, array a, size_t i0,
                         matrix tile)
{
    size_t *elements = watcher;

    (void)stored;
    (void)a;
    (void)i0;
    *elements += tile.rows * tile.cols;
}

TEST(a_watcher_sees_the_elements_that_both_kernels_move)
{
    auto_case c = problem(12, 4, (tile_sizes){3, 4});
    size_t elements = 0;
    memory mem;

    memory_init(&mem, c.M);
    mem.watch = add_elements;
    mem.watcher = &elements;
    assert_int_equal(two_kernel_backward(&c.g, &mem), MEMORY_OK);
    assert_int_equal(elements, counts_moved(mem.counts));
    memory_reset(&mem);
}

TEST(the_parallel_step_has_the_bits_of_the_two_kernels)
{
    auto_case one = problem(83, 8, (tile_sizes){7, 10});
    auto_case many = problem(83, 8, (tile_sizes){7, 10});
    const size_t bytes = 83 * 8 * sizeof(float);

    case_run(&one, two_kernels);
    case_run(&many, tested(&chapter_06_backward[2]));
    assert_memory_equal(many.g.dQ.hbm.data, one.g.dQ.hbm.data, bytes);
    assert_memory_equal(many.g.dK.hbm.data, one.g.dK.hbm.data, bytes);
    assert_memory_equal(&many.counts, &one.counts, sizeof one.counts);
    assert_int_equal(many.on_chip, one.on_chip);
    assert_int_equal(many.extra, one.extra);
}

/* --- The fast step -------------------------------------------------------- */

#define simd tested(&chapter_06_backward[3])

static size_t fallbacks(attention_case *c)
{
    expect_gradients(c);
    case_run(c, simd);
    case_check(c, simd);
    return c->counts.fallbacks;
}

TEST(ordinary_heads_are_not_left_to_flash2_backward)
{
    const size_t N[] = {1, 15, 64, 65, 130};

    for (size_t n = 0; n < 5; n++) {
        auto_case c = problem(N[n], 20, (tile_sizes){0, 0});

        assert_int_equal(fallbacks(&c), 0);
        case_causal(&c, -3);
        assert_int_equal(fallbacks(&c), 0);
        case_causal(&c, 5);
        assert_int_equal(fallbacks(&c), 0);
        c.h.rule.softcap = 3;
        assert_int_equal(fallbacks(&c), 1);
        c.h.rule.softcap = 0;
        for (size_t k = 0; k < 5; k++) {
            precision *narrow[] = {&c.g.dS, &c.g.dQ.type, &c.g.dK.type,
                                   &c.g.dV.type, &c.h.P_type};

            *narrow[k] = FP16;
            expect_gradients(&c);
            case_run(&c, simd);
            assert_int_equal(c.counts.fallbacks, 1);
            *narrow[k] = FP32;
        }
        q_of(&c, 0)[3] = NAN;
        assert_int_equal(fallbacks(&c), 1);
    }
}

/* Changes the inputs so that a sum overflows in this column only: of dQ (what =
 * 0), dK (1) or dV (2). dV overflows at `key` only. */
static void overflow(attention_case *c, int what, size_t key, size_t column)
{
    const head *h = &c->h;
    const float factors[][3] = {
        /* scale, Q, K */ {1e-30f, 1, 1e30f}, {0.1f, 1e30f, 1e-30f}, {1, 1, 1}};

    c->h.scale = factors[what][0];
    for (size_t i = 0; i < h->Nq; i++)
        q_of(c, i)[column] *= factors[what][1];
    for (size_t j = 0; j < h->Nk; j++)
        k_of(c, j)[column] *= factors[what][2];
    if (what < 2) {
        for (size_t k = 0; k < h->dv; k++)
            row(c->g.dO.hbm, h->Nq - 1)[k] *= 1e12f;
        return;
    }
    /* all queries attend to only one key */
    fill(h->Q.hbm, 5);
    fill(h->K.hbm, 0);
    fill(h->V.hbm, 1e-30f);
    for (size_t k = 0; k < h->d; k++)
        k_of(c, key)[k] = 5;
    for (size_t i = 0; i < h->Nq; i++)
        row(c->g.dO.hbm, i)[column] = 2e38f;
}

TEST(an_overflow_is_detected_in_any_column)
{
    const size_t columns[] = {0, 15, 16, 19}, keys[] = {0, 8, 36};

    for (int what = 0; what < 3; what++)
        for (size_t n = 0; n < 12; n++) {
            auto_case c = case_of(130, 37, 20, 20);

            case_random(&c, n);
            overflow(&c, what, keys[n / 4], columns[n % 4]);
            expect_gradients(&c);
            case_run(&c, simd);
            assert_int_equal(c.counts.fallbacks, 1);
        }
}

/* First the NaNs are in keys that no query sees and in queries that see no key.
 * Then the limit moves by one key. */
TEST(only_a_visible_nan_causes_a_fallback)
{
    const size_t N[] = {1, 16, 20, 64, 65, 129, 130};

    for (size_t n = 0; n < 7; n++)
        for (long offset = 0; offset <= 90; offset += 45) {
            auto_case c = problem(N[n], 20, (tile_sizes){0, 0});

            case_causal(&c, -offset - 1);
            for (size_t j = 0; j < N[n]; j++)
                if ((long)j + offset + 1 >= (long)N[n])
                    k_of(&c, j)[19] = v_of(&c, j)[19] = NAN;
            for (size_t i = 0; i < N[n] && (long)i <= offset; i++)
                q_of(&c, i)[19] = row(c.g.dO.hbm, i)[19] = NAN;
            assert_int_equal(fallbacks(&c), 0);
            case_causal(&c, -offset);
            assert_int_equal(fallbacks(&c), offset < (long)N[n]);
        }
}

/* Appends a gap of 3 elements with this value to each row. */
static matrix with_gaps(matrix a, float gap)
{
    matrix wide = case_array(a.rows, a.cols + 3).hbm;
    matrix out = block(wide, 0, 0, a.rows, a.cols);

    fill(wide, gap);
    for (size_t i = 0; i < a.rows; i++)
        memcpy(row(out, i), row(a, i), a.cols * sizeof(float));
    return out;
}

static void no_gap_is_written(matrix a, float gap)
{
    for (size_t i = 0; i < a.rows; i++)
        for (size_t k = 0; k < 3; k++)
            assert_true(row(a, i)[a.cols + k] == gap);
    free(a.data);
}

/* The buffer has exactly as many floats as the kernel needs, filled with NaN.
 * It and V end before a protected page. The second run adds to dK and dV. */
static void check_in_its_room(attention_case *c, const fast_backward *kernel)
{
    matrix dK = c->g.dK.hbm, dV = c->g.dV.hbm;
    array room = case_array(1, kernel->floats(&c->h));

    expect_gradients(c);
    c->g.h = c->h;
    c->g.dK.hbm = with_gaps(dK, 7);
    c->g.dV.hbm = with_gaps(dV, 8);
    for (int add = 0; add < 2; add++) {
        edge e, V;

        c->g.add = add;
        fill(room.hbm, NAN);
        e = to_the_edge(&room.hbm);
        V = to_the_edge(&c->g.h.V.hbm);
        fill(c->g.dQ.hbm, NAN);
        assert_true(kernel->run(&c->g, room.hbm.data));
        back(V);
        back(e);
        /* Without `add`, dK or dV is summed in place, so the last float of the
         * buffer is not used and stays NaN. */
        assert_int_equal(isnan(room.hbm.data[room.hbm.cols - 1]) == 0, add);
        case_check(c, simd);
        /* the next run adds the same gradients again */
        for (size_t k = 0; k < dK.rows * dK.cols; k++)
            c->dK[k] *= 2;
        for (size_t k = 0; k < dV.rows * dV.cols; k++)
            c->dV[k] *= 2;
    }
    c->g.add = false;
    no_gap_is_written(c->g.dK.hbm, 7);
    no_gap_is_written(c->g.dV.hbm, 8);
    c->g.dK.hbm = dK;
    c->g.dV.hbm = dV;
    free(room.hbm.data);
}

TEST(its_buffer_is_large_enough_and_rows_may_have_gaps)
{
#define X(target) &backward_simd_##target,
    static const fast_backward *const kernels[] = {TARGETS};
#undef X
    const size_t sizes[][4] = {/* Nq, Nk, d, dv */
                               {1, 5, 16, 64},    {65, 7, 48, 17},
                               {128, 70, 17, 48}, {129, 129, 80, 32},
                               {130, 64, 64, 80}, {192, 200, 32, 16}};
    memory mem;
    size_t target = choose_target(mem.message);

    assert_true(target < target_count());
    for (size_t n = 0; n < 6; n++)
        for (long shift = -70; shift <= 70; shift += 35) {
            const size_t *s = sizes[n];
            auto_case c = case_of(s[0], s[1], s[2], s[3]);

            case_random(&c, n);
            if (shift < 70)
                case_causal(&c, shift + (long)s[1] - (long)s[0]);
            case_backward(&c);
            check_in_its_room(&c, kernels[target]);
        }
}

int main(void)
{
    return run_backward_tests("flash2_backward", chapter_06_backward, NULL);
}
