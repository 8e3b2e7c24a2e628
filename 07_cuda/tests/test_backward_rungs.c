/*
 * Tests of the backward rungs: their gradients against float64, their HBM
 * traffic, the bits of repeated runs, and refused heads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/data/random.h"
#include "common/testing/assert_close.h"
#include "common/testing/attention_check.h"
#include "common/testing/run_tests.h"

#include "07_cuda/tests/no_findings.h"
#include "07_cuda/backward/steps.h"
#include <cuda_on_cpu.h>
#include "07_cuda/host/device.h"
#include "07_cuda/host/padded.h"

static bool is_fp32(int r)
{
    return backward_ladder[r].type == FP32;
}

/* Returns the first rung from r on that runs here with these d and dv. */
static int next_rung(int r, size_t d, size_t dv)
{
    const head h = {.d = d, .dv = dv};

    while (r < BACKWARD_RUNGS &&
           !runs_here(&backward_ladder[r].needs,
                      columns_of(&backward_ladder[r].needs, &h), NULL))
        r++;
    return r;
}

#define EACH(r, d, dv)                                                         \
    for (int r = next_rung(0, d, dv); r < BACKWARD_RUNGS;                      \
         r = next_rung(r + 1, d, dv))

/* For fp32 the tolerance is that of attention_check.h. For bf16 each element of
 * a gradient also has a bound for the roundings to bf16, of up to 2^-8 each.
 * Weights and dS are rounded before a product. O is rounded, and D is computed
 * from it. The result is rounded. The bounds are sums of absolute products. */

enum { HEADS = 4, GROUP = 2 };

static void round_to_bf16(attention_case *c)
{
    const head *h = &c->h;
    const matrix all[] = {h->Q.hbm, h->K.hbm, h->V.hbm, c->g.dO.hbm};

    for (size_t a = 0; a < 4; a++)
        for (size_t e = 0; e < all[a].rows * all[a].cols; e++)
            all[a].data[e] = round_to(BF16, all[a].data[e]);
}

static double product(const float *a, const float *b, size_t n, bool of_sizes)
{
    double sum = 0;

    for (size_t c = 0; c < n; c++) {
        double x = (double)a[c] * (double)b[c];

        sum += of_sizes ? fabs(x) : x;
    }
    return sum;
}

/* Adds to dQ, dK and dV the bounds of all roundings except that of the result.
 * The head must have O and L. */
static void add_bounds(const attention_case *c, double *dQ, double *dK,
                       double *dV)
{
    const head *h = &c->h;
    const double unit = 0x1p-8, scale = (double)h->scale;

    for (size_t i = 0; i < h->Nq; i++) {
        const float *dO = row(c->g.dO.hbm, i), *O = row(h->O.hbm, i);
        double D = product(dO, O, h->dv, false);
        double D_off = unit * product(dO, O, h->dv, true);

        for (size_t j = 0; j < seen(h, one(i)); j++) {
            double s = scale *
                       product(row(h->Q.hbm, i), row(h->K.hbm, j), h->d, false);
            double p = exp(s - (double)*row(h->L.hbm, i));
            double dP = product(dO, row(h->V.hbm, j), h->dv, false);
            double off = p * (unit * fabs(dP - D) + D_off) * fabs(scale);

            for (size_t e = 0; e < h->dv; e++)
                dV[j * h->dv + e] += unit * p * fabs((double)dO[e]);
            for (size_t e = 0; e < h->d; e++) {
                dQ[i * h->d + e] += off * fabs((double)row(h->K.hbm, j)[e]);
                dK[j * h->d + e] += off * fabs((double)row(h->Q.hbm, i)[e]);
            }
        }
    }
}

/* Fails unless each element of got is within its tolerance of want. If bound is
 * not NULL, it is added to the tolerance. */
static void check_within(const attention_case *c, const attention_step *s,
                         const char *what, matrix got, const double *want,
                         const double *bound, double fp32)
{
    for (size_t i = 0; i < got.rows; i++)
        for (size_t k = 0; k < got.cols; k++) {
            size_t e = i * got.cols + k;
            double x = (double)row(got, i)[k];
            double room = bound ? bound[e] + 0x1p-8 * fabs(want[e]) : 0;

            if (is_close_or_nan(x, want[e], 1.01 * room + fp32))
                continue;
            print_case(c, s);
            fail_msg("%s[%zu][%zu]: want %.9g, got %.9g, tolerance %.3g", what,
                     i, k, want[e], x, 1.01 * room + fp32);
        }
}

/* Makes c share K and V with `before`, the previous head of its group. Copies
 * K, V, the expected dK and dV, and their bounds in off. */
static void share(attention_case *c, const attention_case *before,
                  double *const off[3], double *const off_before[3])
{
    const head *h = &c->h;
    size_t of_K = h->Nk * h->d, of_V = h->Nk * h->dv;

    memcpy(h->K.hbm.data, before->h.K.hbm.data, of_K * sizeof(float));
    memcpy(h->V.hbm.data, before->h.V.hbm.data, of_V * sizeof(float));
    memcpy(c->dK, before->dK, of_K * sizeof(double));
    memcpy(c->dV, before->dV, of_V * sizeof(double));
    memcpy(off[1], off_before[1], of_K * sizeof(double));
    memcpy(off[2], off_before[2], of_V * sizeof(double));
    c->g.add = true;
}

static void expect(attention_case *c, const attention_case *before, bool fp32,
                   double *off[3], double *const off_before[3])
{
    const head *h = &c->h;
    const size_t size[] = {h->Nq * h->d, h->Nk * h->d, h->Nk * h->dv};

    for (size_t a = 0; a < 3; a++) {
        off[a] = calloc(size[a] + 1, sizeof(double));
        assert_non_null(off[a]);
    }
    if (!fp32)
        round_to_bf16(c);
    if (before)
        share(c, before, off, off_before);
    expect_gradients(c);
    if (!fp32)
        add_bounds(c, off[0], off[1], off[2]);
}

/* Fails unless all gradients of rung r are right. dK and dV of the first head
 * of a group are the sums of the group. */
static void check_heads(int r, attention_case c[], size_t n, size_t group)
{
    const backward_step *const s = &chapter_07_backward[r];
    const bool fp32 = is_fp32(r);
    double *off[HEADS][3];
    gradients heads[HEADS];
    memory mem;

    assert_true(n <= HEADS);
    for (size_t k = 0; k < n; k++) {
        bool adds = k % group > 0;
        size_t first = k / group * group;

        expect(&c[k], adds ? &c[k - 1] : NULL, fp32, off[k],
               adds ? off[k - 1] : NULL);
        fill(c[k].g.dQ.hbm, NAN);
        fill(c[k].g.dK.hbm, NAN);
        fill(c[k].g.dV.hbm, NAN);
        heads[k] = c[k].g;
        heads[k].dK = c[first].g.dK;
        heads[k].dV = c[first].g.dV;
    }
    memory_init(&mem, MEMORY_UNBOUNDED);
    if (s->run_heads(s, heads, n, &mem))
        fail_msg("%s: refused: %s", s->name, mem.message);
    for (size_t k = 0; k < n; k++) {
        const gradients *g = &heads[k];
        double all = (double)group;

        check_within(&c[k], tested(s), "dQ", g->dQ.hbm, c[k].dQ,
                     fp32 ? NULL : off[k][0], c[k].dQ_tolerance);
        if (k % group < group - 1)
            continue; /* dK and dV are compared at the group's last head */
        check_within(&c[k], tested(s), "dK", g->dK.hbm, c[k].dK,
                     fp32 ? NULL : off[k][1], all * c[k].dK_tolerance);
        check_within(&c[k], tested(s), "dV", g->dV.hbm, c[k].dV,
                     fp32 ? NULL : off[k][2], all * c[k].dV_tolerance);
    }
    for (size_t k = 0; k < n; k++)
        for (size_t a = 0; a < 3; a++)
            free(off[k][a]);
}

static void check(int r, attention_case *c)
{
    check_heads(r, c, 1, 1);
}

typedef struct {
    size_t Nq, Nk, d, dv;
} size_of_problem;

static attention_case problem(size_of_problem z, uint64_t seed)
{
    attention_case c = case_of(z.Nq, z.Nk, z.d, z.dv);

    case_random(&c, seed);
    case_backward(&c);
    return c;
}

TEST(every_ragged_size_is_right)
{
    static const size_of_problem sizes[] = {
        {1, 1, 1, 1},     {1, 130, 8, 5},     {130, 1, 33, 64},
        {33, 40, 32, 32}, {64, 64, 64, 64},   {65, 63, 64, 3},
        {31, 97, 65, 20}, {70, 90, 128, 128}, {16, 17, 100, 7},
        {129, 66, 5, 64}, {40, 129, 32, 1},   {150, 140, 70, 128},
        {0, 5, 3, 2},     {5, 0, 3, 2},       {5, 7, 3, 0},
    };

    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k += one_in(2))
        EACH (r, sizes[k].d, sizes[k].dv) {
            auto_case c = problem(sizes[k], 100 + k);

            check(r, &c);
            case_causal(&c, (long)sizes[k].Nk - (long)sizes[k].Nq);
            check(r, &c);
        }
}

TEST(every_causal_offset_is_right)
{
    static const long offsets[] = {-200, -70, -64, -33, -1, 0, 1, 31, 64, 70};

    for (size_t k = 0; k < 20; k++)
        EACH (r, 8, 5) {
            bool wide = k % 2;
            size_of_problem z = {wide ? 50 : 140, wide ? 140 : 50, 8, 5};
            auto_case c = problem(z, 140 + k / 2);

            case_causal(&c, offsets[k / 2]);
            if (is_fp32(r)) /* tensor cores multiply an unseen NaN by 0 */
                case_spoil_unseen(&c);
            check(r, &c);
        }
}

TEST(a_nan_row_reaches_only_keys_that_it_attends_to)
{
    for (int r = 0; is_fp32(r); r++) {
        auto_case c = problem((size_of_problem){60, 70, 8, 5}, 170);

        case_causal(&c, 0);
        q_of(&c, 20)[3] = NAN; /* query 20 sees keys 0 to 20 */
        check(r, &c);
        assert_true(isnan(row(c.g.dQ.hbm, 20)[0]));
        assert_true(isnan(row(c.g.dK.hbm, 20)[0]));
        assert_true(isfinite(row(c.g.dK.hbm, 21)[0]));
    }
}

TEST(scales_are_right)
{
    static const float scales[] = {0, 1, -0.5f, 3};

    for (size_t k = 0; k < 4; k++)
        EACH (r, 6, 4) {
            auto_case c = problem((size_of_problem){21, 80, 6, 4}, 180);

            c.h.scale = scales[k];
            check(r, &c);
        }
}

enum { NK = 290 };

static attention_case long_problem(size_t Nq, size_t columns, uint64_t seed)
{
    attention_case c =
        problem((size_of_problem){Nq, NK, columns, columns}, seed);

    case_causal(&c, 20);
    return c;
}

/* For bf16 there are three or five tiles of queries. So each of their buffers
 * in shared memory is filled again while others are in use. */
TEST(a_group_adds_up)
{
    static const size_t sizes[][2] = {{50, 40}, {270, 64}, {140, 100}};

    for (size_t k = 0; k < 3; k++)
        EACH (r, sizes[k][1], sizes[k][1]) {
            attention_case c[HEADS];

            if (is_fp32(r) != (k == 0))
                continue;
            for (size_t n = 0; n < HEADS; n++)
                c[n] = long_problem(sizes[k][0], sizes[k][1], 10 + n);
            check_heads(r, c, HEADS, GROUP);
            for (size_t n = 0; n < HEADS; n++)
                case_free(&c[n]);
        }
}

#ifdef CUDA_ON_CPU
TEST(counted_bytes_equal_the_closed_forms)
{
    random_source source = random_seed(210);

    cuda_on_cpu_set_effort(CUDA_COUNT);
    for (size_t k = 0; k < 24; k++) {
        size_of_problem z = {1 + random_below(&source, 200),
                             1 + random_below(&source, 200),
                             1 + random_below(&source, k < 12 ? 64 : 128), 1};
        auto_case c = problem(z, 220 + k);

        if (k % 3)
            case_causal(&c, (long)random_below(&source, 300) - 150);
        expect_gradients(&c);
        EACH (r, z.d, z.dv) {
            const backward_step *const s = &chapter_07_backward[r];
            counts want;

            case_run(&c, tested(s));
            want = s->formula(&c.g, (tile_sizes){0, 0});
            if (c.counts.read[ALGORITHM] != want.read[ALGORITHM] ||
                c.counts.written[ALGORITHM] != want.written[ALGORITHM])
                fail_msg("%s: counted %zu read, %zu written; by formula %zu, "
                         "%zu (Nq %zu, Nk %zu, d %zu, causal %d, offset %ld)",
                         s->name, c.counts.read[ALGORITHM],
                         c.counts.written[ALGORITHM], want.read[ALGORITHM],
                         want.written[ALGORITHM], z.Nq, z.Nk, z.d,
                         c.h.rule.causal, c.h.rule.offset);
        }
    }
    cuda_on_cpu_set_effort(CUDA_CHECK);
}

static void run_into(float *to, attention_case *c, int r)
{
    const matrix all[] = {c->g.dQ.hbm, c->g.dK.hbm, c->g.dV.hbm};

    case_run(c, tested(&chapter_07_backward[r]));
    for (size_t k = 0; k < 3; k++) {
        size_t n = all[k].rows * all[k].cols;

        memcpy(to, all[k].data, n * sizeof *to);
        to += n;
    }
}

/* Each run has a different order of blocks, warps and copies. */
TEST(only_sums_with_one_owner_have_the_same_bits)
{
    auto_case c = long_problem(140, 70, 230);
    static float first[(140 + 2 * NK) * 70], again[(140 + 2 * NK) * 70];

    expect_gradients(&c);
    EACH (r, 70, 70) {
        bool same = true;

        run_into(first, &c, r);
        for (int run = 0; run < 6; run += (int)one_in(3)) {
            run_into(again, &c, r);
            same = same && memcmp(first, again, sizeof first) == 0;
        }
        /* In bf16 different sums may be rounded to the same bits. */
        if (backward_ladder[r].same_bits || is_fp32(r))
            assert_int_equal(same, backward_ladder[r].same_bits);
    }
}

#endif

/* The tensor map ends at the last key that any query sees. */
TEST(unseen_keys_may_have_any_value)
{
    auto_case c = long_problem(30, 9, 30);
    const head *h = &c.h;

    if (next_rung(BACKWARD_wgmma, 9, 9) != BACKWARD_wgmma)
        skip();
    for (size_t j = seen(h, all(h->Nq)); j < h->Nk; j++) {
        k_of(&c, j)[j % h->d] = NAN;
        v_of(&c, j)[j % h->dv] = INFINITY;
    }
    check(BACKWARD_wgmma, &c);
}

static void refused(const attention_case *c, const char *line)
{
    memory mem;

    for (const backward_step *s = chapter_07_backward; s->name; s++) {
        memory_init(&mem, 0);
        assert_int_equal(backward_step_run(s, &c->g, 1, &mem), MEMORY_REFUSED);
        assert_string_equal(mem.message, line);
    }
}

TEST(unsupported_heads_are_refused_with_one_line)
{
    auto_case c = problem((size_of_problem){3, 4, 200, 5}, 240);

    expect_gradients(&c);
    refused(&c, "d 200, dv 5 don't fit (1 to 128 are allowed)");
    c.g.h.rule.softcap = 1;
    refused(&c, "no softcap here (chapters 05 and 06 have it)");
    c.g.h.rule.softcap = 0;
    c.g.h.rule.window = 3;
    refused(&c, "no window here (chapters 05 and 06 have it)");
}

TEST(heads_that_need_too_much_memory_are_refused)
{
    auto_case c = problem((size_of_problem){3, 4, 20, 5}, 240);
    memory mem;

    c.g.h.Nq = c.g.h.Nk = 1000000000;
    EACH (r, 20, 5) {
        memory_init(&mem, 0);
        assert_int_equal(
            backward_step_run(&chapter_07_backward[r], &c.g, 1, &mem),
            MEMORY_FULL);
        assert_non_null(strstr(mem.message, "B (allowed: "));
    }
}

ALSO(the_emulator_found_no_mistake);

int main(void)
{
    for (int r = 0; r < BACKWARD_RUNGS; r++)
        print_left_out(stdout, chapter_07_backward[r].name,
                       &backward_ladder[r].needs);
    cuda_on_cpu_set_seed(7);
    return run_tests("backward_rungs");
}
