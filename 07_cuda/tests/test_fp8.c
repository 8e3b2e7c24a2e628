/*
 * Rung 11: its pre-pass makes the bytes, and its kernel the numbers, of the
 * model; how near that is to attention of the original numbers; what is no
 * number; and the bytes that it moves.
 *
 * Rung 11 against its model in float64 (fp8_model.h): of the same e4m3
 * numbers, with the weights rounded as the rung rounds them, so that nothing
 * is left but fp32's sums and bf16's O:
 *
 *     O    2^-8 |O| + 1e-5 max|V|, and what it makes that a weight next to
 *          the middle of two codes may go to the other one
 *     L    4e-6 max(1, |L|)
 *
 * On a GPU more: it is reported to keep about 14 bits of sums of e4m3. The
 * emulator does so with CUDA_ON_CPU_ROUND=hardware: then it is off by
 * more than 2^-6, and by less than 2^-5.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/testing/assert_close.h"
#include "common/testing/attention_case.h"

#include "07_cuda/fp8/fp8.h"
#include "07_cuda/fp8/fp8_model.h"
#include "07_cuda/host/device.h"
#include "07_cuda/host/traffic.h"
#include "07_cuda/steps.h"
#include "07_cuda/tests/no_findings.h"

/* What may be off where sums are fp32's; where they may be cut to 14 bits. */
static double off_by(double exact)
{
#ifdef CUDA_ON_CPU
    const char *round = getenv("CUDA_ON_CPU_ROUND");

    return round && *round ? 0x1p-5 : exact;
#else
    (void)exact;
    return 0x1p-5;
#endif
}

static const fp8_shape shapes[] = {
    {1, 1, 1, 1, 64, 1},        {1, 1, 64, 128, 64, 128},
    {1, 1, 239, 1, 64, -238},   {2, 1, 113, 203, 128, 203},
    {1, 1, 130, 700, 64, 500},  {1, 1, 300, 300, 128, 0},
    {4, 2, 330, 620, 64, 290},  {2, 2, 140, 390, 128, 250},
    {3, 3, 260, 100, 64, -160}, {2, 1, 70, 300, 128, -70},
    {2, 2, 799, 3, 64, 3},      {1, 1, 40, 0, 64, 0},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static double largest_of(const double *x, size_t n)
{
    double largest = 0;

    for (size_t e = 0; e < n; e++)
        if (isfinite(x[e]))
            largest = fmax(largest, fabs(x[e]));
    return largest;
}

/* O and L of p against the model, p->scratch holding what was attended to; of a
 * row that sees no key O is 0 exactly. */
static void check_outputs(const rung_problem *p)
{
    size_t rows = (size_t)(p->heads * p->Nq), D = (size_t)p->D;
    fp8_numbers x = fp8_numbers_of(p, true);
    double *O = malloc(rows * D * sizeof *O), *L = malloc(rows * sizeof *L);
    double *slack = malloc(rows * sizeof *slack);
    double V = largest_of(x.V, fp8_count_k(p));

    fp8_model_attend(p, &x, (fp8_rounding){true, 0}, O, L, slack);
    for (size_t e = 0; e < rows * D; e++) {
        double o = (double)from_bf16(((const uint16_t *)p->O)[e]);
        double off = 0x1p-8 * fabs(O[e]) + (off_by(1e-5) + slack[e / D]) * V;

        if (L[e / D] == -HUGE_VAL)
            off = 0;
        if (!is_close_or_nan(o, O[e], off))
            fail_msg("O[%zu][%zu]: %g, not %g (tolerance %g)", e / D, e % D, o,
                     O[e], off);
    }
    for (size_t i = 0; i < rows; i++)
        if (!is_close_or_nan((double)p->L[i], L[i],
                             off_by(4e-6) * fmax(1, fabs(L[i]))))
            fail_msg("L[%zu]: %g, not %g", i, (double)p->L[i], L[i]);
    free(O);
    free(L);
    free(slack);
    fp8_numbers_free(&x);
}

/* Both halves on p: the first against the model byte for byte. */
static void check(const rung_problem *p)
{
    rung_problem model = *p;
    size_t bytes = scratch_bytes(p);

    model.scratch = malloc(bytes);
    memset(model.scratch, 0xaa, bytes);
    fp8_model_quantise(&model, false);
    assert_int_equal(rung_on_device(rung_fp8, p, NULL), 0);
    assert_memory_equal(p->scratch, model.scratch, bytes);
    check_outputs(p);
    free(model.scratch);
}

/* --- Right ---------------------------------------------------------------- */

static uint16_t *element_of(const void *a, const rung_problem *p, int row,
                            int column)
{
    return (uint16_t *)a + row * p->D + column;
}

static void shapes_are_right(void **state)
{
    for (int k = 0; k < SHAPES; k++) {
        rung_problem p = fp8_problem(&shapes[k], 4, 31 + (uint64_t)k);

        check(&p);
        fp8_problem_free(&p);
    }
}

static void random_shapes_are_right(void **state)
{
    random_source source = random_seed(57);

    for (int k = 0; k < 12; k++) {
        int group = 1 + (int)random_below(&source, 2);
        int Nq = 1 + (int)random_below(&source, 260);
        int Nk = 1 + (int)random_below(&source, 400);
        fp8_shape s = {group * (1 + (int)random_below(&source, 2)),
                       group,
                       Nq,
                       Nk,
                       k % 2 ? 64 : 128,
                       (int)random_below(&source, (uint32_t)(Nq + Nk)) - Nq};
        rung_problem p = fp8_problem(&s, 2, 600 + (uint64_t)k);

        check(&p);
        fp8_problem_free(&p);
    }
}

static void six_random_schedules_give_the_same_bits(void **state)
{
    static const fp8_shape two[] = {{1, 1, 200, 700, 64, 500},
                                    {2, 2, 150, 330, 128, 180}};

    cuda_on_cpu_set_seed(7);
    for (int k = 0; k < 2; k++) {
        rung_problem p = fp8_problem(&two[k], 2, 91);
        size_t bytes = fp8_count_q(&p) * 2;
        uint16_t *first = malloc(bytes);

        for (int schedule = 0; schedule < 6; schedule++) {
            check(&p);
            memset(p.scratch, 0xaa, scratch_bytes(&p));
            if (schedule == 0)
                memcpy(first, p.O, bytes);
            assert_memory_equal(p.O, first, bytes);
        }
        free(first);
        fp8_problem_free(&p);
    }
    cuda_on_cpu_set_seed(0);
}

/* --- How near ------------------------------------------------------------- */

/* ||O - want|| / ||want||, and the largest |O - want|. */
static double error_of(const rung_problem *p, const double *got,
                       const double *want, double *largest)
{
    double square = 0, whole = 0;

    *largest = 0;
    for (size_t e = 0; e < fp8_count_q(p); e++) {
        double o = got ? got[e] : (double)from_bf16(((uint16_t *)p->O)[e]);

        *largest = fmax(*largest, fabs(o - want[e]));
        square += (o - want[e]) * (o - want[e]);
        whole += want[e] * want[e];
    }
    return sqrt(square / whole);
}

/*
 * Against attention of the original numbers in float64: no element may be off
 * by more than twice what the worst one is of plain attention in e4m3 (one
 * scale for each of Q, K, V; nothing else rounded), and a rounding to bf16;
 * and of normal numbers all of O by no more than 7%.
 */
static void rounding_to_e4m3_is_all_that_is_lost(void **state)
{
    for (int k = 3; k < 8; k++) {
        rung_problem p = fp8_problem(&shapes[k], 1, 41 + (uint64_t)k);
        size_t n = fp8_count_q(&p) * sizeof(double);
        double *want = malloc(n), *plain = malloc(n), *L = malloc(n);
        double worst, largest, relative;
        fp8_numbers x = fp8_numbers_of(&p, false), y;

        fp8_model_attend(&p, &x, (fp8_rounding){false, 0}, want, L, NULL);
        fp8_model_quantise(&p, true);
        y = fp8_numbers_of(&p, true);
        fp8_model_attend(&p, &y, (fp8_rounding){true, 0}, plain, L, NULL);
        (void)error_of(&p, plain, want, &worst);
        assert_int_equal(rung_on_device(rung_fp8, &p, NULL), 0);
        relative = error_of(&p, NULL, want, &largest);
        assert_true(largest <=
                    2 * worst + 0x1p-8 * largest_of(x.V, fp8_count_k(&p)));
        assert_true(relative <= 0.07);
        fp8_numbers_free(&x);
        fp8_numbers_free(&y);
        free(want);
        free(plain);
        free(L);
        fp8_problem_free(&p);
    }
}

/* Numbers that e4m3 holds, and rows with one key: nothing is lost at all. */
static void small_integers_are_exact(void **state)
{
    rung_problem p = fp8_problem(&(fp8_shape){1, 1, 70, 1, 64, 1}, 1, 61);

    for (int c = 0; c < 64; c++)
        *element_of(p.V, &p, 0, c) = to_bf16((float)(c % 17 - 8));
    assert_int_equal(rung_on_device(rung_fp8, &p, NULL), 0);
    for (int i = 0; i < 70; i++)
        for (int c = 0; c < 64; c++)
            assert_int_equal(*element_of(p.O, &p, i, c),
                             to_bf16((float)(c % 17 - 8)));
    fp8_problem_free(&p);
}

/* --- Blocks --------------------------------------------------------------- */

/* Blocks of K and V, and tiles of Q, that differ in size by up to 2^36. */
static void every_block_has_its_own_scale(void **state)
{
    rung_problem p = fp8_problem(&(fp8_shape){2, 1, 200, 600, 64, 450}, 1, 62);
    uint16_t *V = (uint16_t *)p.V, *K = (uint16_t *)p.K, *Q = (uint16_t *)p.Q;
    static const float sizes[] = {1, 0x1p-18f, 0x1p18f, 3, 0x1p5f};

    for (int j = 0; j < 2 * 600; j++)
        for (int c = 0; c < 64; c++) {
            uint16_t *v = &V[j * 64 + c], *k = &K[j * 64 + c];

            *v = to_bf16(from_bf16(*v) * sizes[j % 600 / 128]);
            *k = to_bf16(from_bf16(*k) * (float)(1 + j % 600 / 128));
        }
    for (int i = 0; i < 2 * 200; i++)
        for (int c = 0; c < 64; c++)
            Q[i * 64 + c] =
                to_bf16(from_bf16(Q[i * 64 + c]) / (float)(1 + i % 200 / 64));
    check(&p);
    fp8_problem_free(&p);
}

static void blocks_of_zeros_are_right(void **state)
{
    rung_problem p = fp8_problem(&(fp8_shape){1, 1, 130, 400, 128, 400}, 1, 63);

    memset((void *)p.Q, 0, 64 * 128 * 2);
    memset(element_of(p.K, &p, 128, 0), 0, 128 * 128 * 2);
    memset(element_of(p.V, &p, 256, 0), 0, 128 * 128 * 2);
    check(&p);
    fp8_problem_free(&p);
}

/* The last is nothing after it was multiplied by the blocks' scales. */
static void scales_below_0_and_near_it_are_right(void **state)
{
    static const float scales[] = {-0.1f, 0, 1e-40f};

    for (int k = 0; k < 3; k++) {
        rung_problem p =
            fp8_problem(&(fp8_shape){1, 1, 70, 600, 64, 500}, 1, 67);

        p.scale = scales[k];
        check(&p);
        fp8_problem_free(&p);
    }
}

/* --- No numbers ----------------------------------------------------------- */

/* Queries see keys up to their own number + 100. One number of Q, K or V is
 * none; then so is all of O in rows that see it, or of V its column in all
 * rows, whose tiles load it. No infinity comes out. */
static void what_is_no_number_reaches_the_rows_that_see_it(void **state)
{
    static const struct {
        char array;
        int row, column;
        float x;
        int from, to; /* rows of O */
    } one[] = {
        {'Q', 77, 5, NAN, 77, 78},         {'K', 150, 63, NAN, 50, 200},
        {'K', 150, 63, INFINITY, 50, 200}, {'K', 150, 63, -INFINITY, 50, 200},
        {'V', 299, 7, NAN, 0, 200},        {'V', 299, 7, INFINITY, 0, 200},
        {'V', 299, 7, -INFINITY, 0, 200}};

    for (size_t k = 0; k < sizeof one / sizeof one[0]; k++) {
        rung_problem p =
            fp8_problem(&(fp8_shape){1, 1, 200, 300, 64, 100}, 1, 64);
        const void *a = one[k].array == 'Q'   ? p.Q
                        : one[k].array == 'K' ? p.K
                                              : p.V;

        *element_of(a, &p, one[k].row, one[k].column) = to_bf16(one[k].x);
        check(&p);
        for (int i = 0; i < 200; i++)
            for (int c = 0; c < 64; c++) {
                bool nan = i >= one[k].from && i < one[k].to &&
                           (one[k].array != 'V' || c == one[k].column);

                if (!!isnan(from_bf16(*element_of(p.O, &p, i, c))) != nan)
                    fail_msg("%c[%d][%d] is %g: O[%d][%d] is %sNaN",
                             one[k].array, one[k].row, one[k].column,
                             (double)one[k].x, i, c, nan ? "not " : "");
            }
        fp8_problem_free(&p);
    }
}

/* Of 300 keys no query sees one beyond 250: it isn't read, nor has it a say
 * in a scale. */
static void keys_that_no_query_sees_are_not_read(void **state)
{
    rung_problem p = fp8_problem(&(fp8_shape){1, 1, 150, 300, 64, 100}, 1, 65);

    for (int c = 0; c < 64; c++) {
        *element_of(p.K, &p, 250, c) = to_bf16(NAN);
        *element_of(p.V, &p, 250, c) = to_bf16(1e30f);
    }
    check(&p);
    fp8_problem_free(&p);
}

/* --- Bytes ---------------------------------------------------------------- */

#ifdef CUDA_ON_CPU
static tile_sizes tiles_for(int D)
{
    const rung *r = &ladder[RUNG_fp8];

    return (tile_sizes){(size_t)rung_Br(r, D), (size_t)rung_Bc(r, D)};
}

/* What the pre-pass reads and writes, all heads together. */
static void check_pre_pass(const rung_problem *p)
{
    size_t D = (size_t)p->D, seen = (size_t)fp8_seen(p);
    size_t kv = (size_t)(p->heads / p->group), blocks = (seen + 127) / 128;
    size_t queries = (size_t)p->heads * (size_t)p->Nq;
    size_t q_blocks = (size_t)p->heads * ((size_t)(p->Nq + 63) / 64);
    rung_bytes b;

    assert_int_equal(rung_on_device(fp8_quantise, p, &b), 0);
    assert_int_equal(b.loaded[Q_IN], 2 * queries * D);
    assert_int_equal(b.loaded[K_IN], 2 * kv * seen * D);
    assert_int_equal(b.loaded[V_IN], 2 * kv * seen * D);
    assert_int_equal(b.stored[SCRATCH],
                     D * (queries + kv * (seen + 128 * blocks)) +
                         4 * (q_blocks + 2 * kv * blocks));
}

static void counted_bytes_equal_the_closed_forms(void **state)
{
    cuda_on_cpu_set_effort(CUDA_COUNT);
    for (int k = 0; k < SHAPES; k++) {
        const fp8_shape *s = &shapes[k];
        rung_problem p = fp8_problem(s, 1, 71);
        head h = {.Nq = (size_t)s->Nq,
                  .Nk = (size_t)s->Nk,
                  .d = (size_t)s->D,
                  .dv = (size_t)s->D,
                  .causal = true,
                  .offset = s->offset};
        counts one = as_fp8(&h, tiles_for(s->D));
        rung_bytes b;

        check_pre_pass(&p);
        assert_int_equal(rung_on_device(fp8_attend, &p, &b), 0);
        assert_int_equal(b.loaded[SCRATCH],
                         2 * (size_t)s->heads * one.read[ALGORITHM]);
        assert_int_equal(b.stored[O_OUT] / 2 + b.stored[L_OUT] / 4,
                         (size_t)s->heads * one.written[ALGORITHM]);
        assert_int_equal(b.loaded[Q_IN] + b.loaded[K_IN] + b.loaded[V_IN] +
                             b.stored[SCRATCH],
                         0);
        fp8_problem_free(&p);
    }
    cuda_on_cpu_set_effort(CUDA_CHECK);
}
#endif

/* --- As a step ------------------------------------------------------------ */

/* d and dv are padded. With K = 0 all weights are equal. */
static void as_a_step_it_pads(void **state)
{
    const attention_step *step = &ladder_steps(BF16)[RUNG_fp8];
    attention_case c = case_of(50, 150, 40, 24);
    memory mem;

    case_random(&c, 81);
    fill(c.h.K.hbm, 0);
    memory_init(&mem, 0);
    assert_int_equal(step_run(step, &c.h, &mem), 0);
    for (size_t k = 0; k < 24; k++) {
        double mean = 0;

        for (size_t j = 0; j < 150; j++)
            mean += (double)v_of(&c, j)[k] / 150;
        for (size_t i = 0; i < 50; i++)
            assert_close((double)row(c.h.O.hbm, i)[k], mean, 0.02);
    }
#ifdef CUDA_ON_CPU /* both halves are counted; of scratch, pairs of bytes */
    c.h.d = 64;
    counts want = as_fp8(&c.h, tiles_for(64));
    size_t codes = 64 * (50 + 150 + 256), scales = 1 + 2 * 2;

    assert_int_equal(mem.counts.read[ALGORITHM],
                     want.read[ALGORITHM] + 64 * (50 + 2 * 150));
    assert_int_equal(mem.counts.written[ALGORITHM],
                     want.written[ALGORITHM] + codes / 2 + 2 * scales);
#endif
    case_free(&c);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_right),
        cmocka_unit_test(random_shapes_are_right),
        cmocka_unit_test(six_random_schedules_give_the_same_bits),
        cmocka_unit_test(rounding_to_e4m3_is_all_that_is_lost),
        cmocka_unit_test(small_integers_are_exact),
        cmocka_unit_test(every_block_has_its_own_scale),
        cmocka_unit_test(scales_below_0_and_near_it_are_right),
        cmocka_unit_test(blocks_of_zeros_are_right),
        cmocka_unit_test(what_is_no_number_reaches_the_rows_that_see_it),
        cmocka_unit_test(keys_that_no_query_sees_are_not_read),
        cmocka_unit_test(as_a_step_it_pads),
#ifdef CUDA_ON_CPU
        cmocka_unit_test(counted_bytes_equal_the_closed_forms),
        cmocka_unit_test(the_emulator_found_no_mistake),
#endif
    };

    return hopper_runs_here() ? run_tests("fp8", tests) : 0;
}
