/*
 * The backward steps of chapter 06 keep the contract; what flash2 leaves is
 * enough for them; their traffic is the page's; threads change no bit; and
 * what Algorithm 2 prints is not what it means.
 */
#include "06_flash2/backward/steps.h"

#include <math.h>
#include <string.h>

#include "05_flash1/backward/steps.h"
#include "06_flash2/backward/fast_backward.h"
#include "06_flash2/steps.h"
#include "common/testing/assert_close.h"
#include "common/testing/contract/attention_contract.h"
#include "common/testing/edge.h"
#include "common/threads.h"

static const attention_subject flash2_step = {.backward =
                                                  &chapter_06_backward[0]};
static const attention_subject two_kernels = {.backward =
                                                  &chapter_06_backward[1]};
static const attention_subject parallel = {.backward = &chapter_06_backward[2]};

static gradient_case problem(size_t N, size_t d, tile_sizes t)
{
    attention_case forward = case_of(N, N, d, d);
    gradient_case c;

    case_random(&forward, N);
    forward.h.Br = t.Br;
    forward.h.Bc = t.Bc;
    c = gradient_case_of(forward);
    gradient_expect(&c);
    return c;
}

static counts backward_counts(const attention_subject *s, size_t N, size_t d,
                              tile_sizes t)
{
    gradient_case c = problem(N, d, t);

    gradient_run(&c, s);
    assert_int_equal(c.extra, N); /* D */
    gradient_free(&c);
    return c.counts;
}

/* --- HBM ------------------------------------------------------------------ */

static const tile_sizes tile_pairs[] = {{1, 1},   {4, 8},   {8, 4},  {3, 7},
                                        {16, 16}, {64, 64}, {5, 100}};
enum { PAIRS = sizeof tile_pairs / sizeof tile_pairs[0] };
static const size_t lengths[] = {1, 16, 33, 64};
enum { LENGTHS = 4, D_COLUMNS = 6 };

static void flash2_moves_6Nd_and_N_and_Tc_times_4Nd_and_2N(void **state)
{
    (void)state;
    for (size_t n = 0; n < LENGTHS; n++)
        for (size_t k = 0; k < PAIRS; k++) {
            size_t N = lengths[n], d = D_COLUMNS, Nd = N * d;
            size_t Tc = tiles(N, tile_pairs[k].Bc);
            counts c = backward_counts(&flash2_step, N, d, tile_pairs[k]);

            assert_int_equal(counts_moved(c),
                             6 * Nd + N + Tc * (4 * Nd + 2 * N));
            assert_int_equal(c.written[INIT], Nd);
            assert_int_equal(c.exps, N * N);
            assert_int_equal(c.divisions, 0);
        }
}

static void two_kernels_move_no_gradient_back(void **state)
{
    (void)state;
    for (size_t n = 0; n < LENGTHS; n++)
        for (size_t k = 0; k < PAIRS; k++) {
            size_t N = lengths[n], d = D_COLUMNS, Nd = N * d;
            size_t T = tiles(N, tile_pairs[k].Bc); /* Br and Bc swapped */
            counts c = backward_counts(&two_kernels, N, d, tile_pairs[k]);

            assert_int_equal(counts_moved(c), 8 * Nd + 2 * N +
                                                  T * (2 * Nd + 2 * N) +
                                                  2 * T * Nd);
            assert_int_equal(c.written[INIT], 0);
            assert_int_equal(c.written[ALGORITHM], 3 * Nd + N);
            assert_int_equal(c.exps, 2 * N * N);
        }
}

/* A step's traffic over standard's. */
static double over_standard(size_t step, size_t N, size_t d, size_t M)
{
    const backward_step *s = &chapter_06_backward[step];
    gradients g = {.h = {.Nq = N, .Nk = N, .d = d, .dv = d}};
    counts own = s->formula(&g, s->tiles(&g.h, M));
    counts standard = standard_backward_traffic(&g, (tile_sizes){0, 0});

    return (double)counts_moved(own) / (double)counts_moved(standard);
}

static void whether_they_save_depends_on_M_and_d(void **state)
{
    const size_t first[] = {16576, 14208};

    (void)state;
    assert_close(over_standard(0, 4096, 64, 8192), 2.03, 0.005);
    assert_close(over_standard(1, 4096, 64, 8192), 1.75, 0.005);
    assert_close(over_standard(0, 251, 32, 8192), 0.55, 0.005);
    assert_close(over_standard(1, 251, 32, 8192), 0.52, 0.005);
    for (size_t step = 0; step < 2; step++) {
        assert_true(over_standard(step, 4096, 64, first[step] - 1) > 1);
        assert_true(over_standard(step, 4096, 64, first[step]) < 1);
    }
}

static void the_rules_are_M_over_the_rows_of_7_and_6_tiles(void **state)
{
    head h = {.d = 64, .dv = 32};

    (void)state;
    for (size_t M = 1; M < 200000; M = M * 2 + 7) {
        size_t rows = M / (4 * 64 + 3 * 32), less = M / (3 * (64 + 32));
        tile_sizes one = flash2_backward_tiles(&h, M);
        tile_sizes dkv = two_kernel_tiles(&h, M), dq = dq_tiles(&h, M);

        assert_int_equal(one.Bc, rows ? rows : 1);
        assert_int_equal(one.Br, min_size(one.Bc, 64));
        assert_int_equal(dkv.Bc, less ? less : 1);
        assert_int_equal(dkv.Br, min_size(dkv.Bc, 64));
        assert_int_equal(dq.Br, dkv.Bc);
        assert_int_equal(dq.Bc, dkv.Br);
    }
    h.Br = 3; /* alone it changes nothing */
    assert_int_equal(flash2_backward_tiles(&h, 0).Br, 1);
    h.Bc = 5;
    assert_int_equal(flash2_backward_tiles(&h, 0).Br, 3);
    assert_int_equal(dq_tiles(&h, 0).Br, 5);
    assert_int_equal(dq_tiles(&h, 0).Bc, 3);
}

/* --- What Algorithm 2 prints ---------------------------------------------- */

/* "D in R^d" (line 4) is a number for each row of O, so N of them; and line 9
 * loads O_i and dQ_i, though line 15 loads dQ_i, and nothing uses O_i: as
 * printed it would move 2 Nd more for each tile of keys. */
static void the_papers_loads_of_O_and_dQ_are_2Nd_a_tile_too_many(void **state)
{
    const tile_sizes t = {4, 8};
    gradient_case c = problem(33, 6, t);
    size_t Nd = 33 * 6, N = 33, Tc = tiles(33, 8), printed;

    (void)state;
    printed = 6 * Nd + N + Tc * (6 * Nd + 2 * N);
    gradient_run(&c, &flash2_step);
    assert_int_equal(printed - counts_moved(c.counts), 2 * Tc * Nd);
    gradient_check(&c, &flash2_step);
    gradient_free(&c);
}

/* Lines 10, 15, 16 have no scale. With S = Q K^T and dQ = dS K in its place
 * dQ is that of another problem: scale 1, not 1 / sqrt(d). */
static void without_the_scale_it_is_another_problems_gradient(void **state)
{
    gradient_case c = problem(17, 16, (tile_sizes){4, 8});
    double most = 0;

    (void)state;
    c.forward.h.scale = 1;
    gradient_run(&c, &flash2_step);
    for (size_t e = 0; e < 17 * 16; e++)
        most = fmax(most, fabs((double)c.g.dQ.hbm.data[e] - c.dQ[e]));
    assert_true(most > 1000 * c.dQ_tolerance);
    gradient_free(&c);
}

/* --- What the forward pass hands out -------------------------------------- */

static void what_flash2_leaves_is_enough(void **state)
{
    (void)state;
    for (const backward_step *step = chapter_06_backward; step->name; step++)
        for (long offset = -4; offset <= 8; offset += 12) {
            const attention_subject s = {.backward = step};
            attention_case forward = case_of(23, 31, 6, 4);
            gradient_case c;
            memory mem;

            case_random(&forward, 3);
            case_causal(&forward, offset);
            forward.h.Br = 5;
            forward.h.Bc = 7;
            c = gradient_case_of(forward);
            gradient_expect(&c);
            memory_init(&mem, MEMORY_UNBOUNDED);
            assert_int_equal(step->forward(&c.forward.h, &mem), MEMORY_OK);
            memory_reset(&mem);
            gradient_run(&c, &s);
            gradient_check(&c, &s);
            gradient_free(&c);
        }
}

/* --- Threads -------------------------------------------------------------- */

static void assert_same(matrix a, matrix b)
{
    assert_memory_equal(a.data, b.data, a.rows * a.cols * sizeof(float));
}

static void threads_change_no_bit_and_no_count(void **state)
{
    attention_case one_head = case_of(61, 83, 8, 5);
    attention_case same_head = case_of(61, 83, 8, 5);
    gradient_case one, many;

    (void)state;
    case_random(&one_head, 71);
    case_random(&same_head, 71);
    one = gradient_case_of(one_head);
    many = gradient_case_of(same_head);
    case_causal(&one.forward, 12);
    case_causal(&many.forward, 12);
    one.forward.h.Br = many.forward.h.Br = 7;
    one.forward.h.Bc = many.forward.h.Bc = 10;
    gradient_expect(&one);
    gradient_expect(&many);
    gradient_run(&one, &two_kernels);
    for (size_t threads = 1; threads <= 5; threads++) {
        use_threads(threads);
        gradient_run(&many, &parallel);
        assert_same(many.g.dQ.hbm, one.g.dQ.hbm);
        assert_same(many.g.dK.hbm, one.g.dK.hbm);
        assert_same(many.g.dV.hbm, one.g.dV.hbm);
        assert_memory_equal(&many.counts, &one.counts, sizeof one.counts);
        assert_int_equal(many.on_chip, one.on_chip);
        assert_int_equal(many.scratch, one.scratch);
        assert_int_equal(many.extra, one.extra);
    }
    use_threads(2);
    gradient_free(&one);
    gradient_free(&many);
}

/* --- The fast step -------------------------------------------------------- */

static const attention_subject simd = {.backward = &chapter_06_backward[3]};

/* How often backward_simd left a head to flash2_backward. */
static size_t fallbacks(gradient_case *c)
{
    gradient_expect(c);
    gradient_run(c, &simd);
    gradient_check(c, &simd);
    return c->counts.fallbacks;
}

static void ordinary_heads_go_the_fast_way(void **state)
{
    const size_t N[] = {1, 15, 64, 65, 130};

    (void)state;
    for (size_t n = 0; n < 5; n++) {
        gradient_case c = problem(N[n], 20, (tile_sizes){0, 0});

        assert_int_equal(fallbacks(&c), 0);
        case_causal(&c.forward, -3);
        assert_int_equal(fallbacks(&c), 0);
        case_causal(&c.forward, 5);
        assert_int_equal(fallbacks(&c), 0);
        c.forward.h.softcap = 3;
        assert_int_equal(fallbacks(&c), 1);
        c.forward.h.softcap = 0;
        for (size_t k = 0; k < 5; k++) {
            precision *narrow[] = {&c.g.dS, &c.g.dQ.type, &c.g.dK.type,
                                   &c.g.dV.type, &c.forward.h.P};

            *narrow[k] = FP16;
            gradient_expect(&c);
            gradient_run(&c, &simd);
            assert_int_equal(c.counts.fallbacks, 1);
            *narrow[k] = FP32;
        }
        q_of(&c.forward, 0)[3] = NAN;
        assert_int_equal(fallbacks(&c), 1);
        gradient_free(&c);
    }
}

/* A sum beyond fp32 in one column alone: of dQ (0), dK (1), dV (2). */
static void overflow(gradient_case *c, int what, size_t key, size_t column)
{
    const head *h = &c->forward.h;
    const float factors[][3] = {
        /* scale, Q, K */ {1e-30f, 1, 1e30f}, {0.1f, 1e30f, 1e-30f}, {1, 1, 1}};

    c->forward.h.scale = factors[what][0];
    for (size_t i = 0; i < h->Nq; i++)
        q_of(&c->forward, i)[column] *= factors[what][1];
    for (size_t j = 0; j < h->Nk; j++)
        k_of(&c->forward, j)[column] *= factors[what][2];
    if (what < 2) {
        for (size_t k = 0; k < h->dv; k++)
            row(c->g.dO.hbm, h->Nq - 1)[k] *= 1e12f;
        return;
    }
    /* all attend to one key alone */
    fill(h->Q.hbm, 5);
    fill(h->K.hbm, 0);
    fill(h->V.hbm, 1e-30f);
    for (size_t k = 0; k < h->d; k++)
        k_of(&c->forward, key)[k] = 5;
    for (size_t i = 0; i < h->Nq; i++)
        row(c->g.dO.hbm, i)[column] = 2e38f;
}

static void a_sum_that_overflows_is_seen_wherever_it_is(void **state)
{
    const size_t columns[] = {0, 15, 16, 19}, keys[] = {0, 8, 36};

    (void)state;
    for (int what = 0; what < 3; what++)
        for (size_t n = 0; n < 12; n++) {
            attention_case forward = case_of(130, 37, 20, 20);
            gradient_case c;

            case_random(&forward, n);
            c = gradient_case_of(forward);
            overflow(&c, what, keys[n / 4], columns[n % 4]);
            gradient_expect(&c);
            gradient_run(&c, &simd);
            assert_int_equal(c.counts.fallbacks, 1);
            gradient_free(&c);
        }
}

/* What no query sees, or only the last one does; and a query that sees nothing,
 * or only the first key. */
static void only_what_is_seen_can_be_no_number(void **state)
{
    const size_t N[] = {1, 16, 20, 64, 65, 129, 130};

    (void)state;
    for (size_t n = 0; n < 7; n++)
        for (long offset = 0; offset <= 90; offset += 45) {
            gradient_case c = problem(N[n], 20, (tile_sizes){0, 0});

            case_causal(&c.forward, -offset - 1);
            for (size_t j = 0; j < N[n]; j++)
                if ((long)j + offset + 1 >= (long)N[n])
                    k_of(&c.forward, j)[19] = v_of(&c.forward, j)[19] = NAN;
            for (size_t i = 0; i < N[n] && (long)i <= offset; i++)
                q_of(&c.forward, i)[19] = row(c.g.dO.hbm, i)[19] = NAN;
            assert_int_equal(fallbacks(&c), 0);
            case_causal(&c.forward, -offset);
            assert_int_equal(fallbacks(&c), offset < (long)N[n]);
            gradient_free(&c);
        }
}

/* An array with gaps between its rows, and what was in it. */
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

/* The kernel in a room of just as many floats, where nothing was a number:
 * dK and dV with gaps, alone and added to what is there. */
static void check_in_its_room(gradient_case *c, const fast_backward *kernel)
{
    matrix dK = c->g.dK.hbm, dV = c->g.dV.hbm;
    array room = case_array(1, kernel->floats(&c->forward.h));

    gradient_expect(c);
    c->g.h = c->forward.h;
    c->g.dK.hbm = with_gaps(dK, 7);
    c->g.dV.hbm = with_gaps(dV, 8);
    for (int add = 0; add < 2; add++) {
        edge e;

        c->g.add = add;
        fill(room.hbm, NAN);
        e = to_the_edge(&room.hbm);
        fill(c->g.dQ.hbm, NAN);
        assert_true(kernel->run(&c->g, room.hbm.data));
        back(e);
        /* if dK or dV is summed in its place, some of the room is left */
        assert_int_equal(isnan(room.hbm.data[room.hbm.cols - 1]) == 0, add);
        gradient_check(c, &simd);
        /* what is there, is there a second time: twice as much */
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

static void its_room_and_rows_with_gaps_are_enough(void **state)
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

    (void)state;
    assert_true(target < target_count());
    for (size_t n = 0; n < 6; n++)
        for (long shift = -70; shift <= 70; shift += 35) {
            const size_t *s = sizes[n];
            attention_case forward = case_of(s[0], s[1], s[2], s[3]);
            gradient_case c;

            case_random(&forward, n);
            if (shift < 70)
                case_causal(&forward, shift + (long)s[1] - (long)s[0]);
            c = gradient_case_of(forward);
            check_in_its_room(&c, kernels[target]);
            gradient_free(&c);
        }
}

static void a_target_that_is_not_there_is_refused(void **state)
{
    const char *was = getenv("FLASH2_TARGET");
    char *kept = was ? strdup(was) : NULL;
    gradient_case c = problem(5, 4, (tile_sizes){0, 0});
    memory mem;

    (void)state;
    setenv("FLASH2_TARGET", "abacus", 1);
    gradient_expect(&c);
    memory_init(&mem, MEMORY_UNBOUNDED);
    assert_int_equal(backward_simd(&c.g, &mem), MEMORY_REFUSED);
    assert_non_null(strstr(mem.message, "no target abacus here"));
    memory_reset(&mem);
    if (kept)
        setenv("FLASH2_TARGET", kept, 1);
    else
        unsetenv("FLASH2_TARGET");
    free(kept);
    gradient_free(&c);
}

int main(void)
{
    const attention_excuse excuses[] = {{0}};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flash2_moves_6Nd_and_N_and_Tc_times_4Nd_and_2N),
        cmocka_unit_test(two_kernels_move_no_gradient_back),
        cmocka_unit_test(whether_they_save_depends_on_M_and_d),
        cmocka_unit_test(the_rules_are_M_over_the_rows_of_7_and_6_tiles),
        cmocka_unit_test(the_papers_loads_of_O_and_dQ_are_2Nd_a_tile_too_many),
        cmocka_unit_test(without_the_scale_it_is_another_problems_gradient),
        cmocka_unit_test(what_flash2_leaves_is_enough),
        cmocka_unit_test(threads_change_no_bit_and_no_count),
        cmocka_unit_test(ordinary_heads_go_the_fast_way),
        cmocka_unit_test(a_sum_that_overflows_is_seen_wherever_it_is),
        cmocka_unit_test(only_what_is_seen_can_be_no_number),
        cmocka_unit_test(its_room_and_rows_with_gaps_are_enough),
        cmocka_unit_test(a_target_that_is_not_there_is_refused),
    };

    return run_gradient_tests("flash2_backward", chapter_06_backward, excuses,
                              tests, sizeof tests / sizeof tests[0]);
}
