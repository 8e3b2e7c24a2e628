/*
 * Tests of the Hopper rungs: the contract of attention, the bytes of the closed
 * form, equal bits for any order of warps and copies, and the schedule.
 *
 * On the shapes of FlashAttention's own tests, the error is at most twice that
 * of a plain kernel with the same storage, as in those tests
 * (attention_check.h). The emulator runs only the small shapes.
 */
#include <stdlib.h>
#include <string.h>

#include <cuda_on_cpu.h>
#include "07_cuda/host/device.h"
#include "07_cuda/host/padded.h"
#include "07_cuda/tests/heads.h"
#include "07_cuda/tests/test_ladder.h"

TEST(many_tiles_are_right_and_move_the_bytes_of_the_formula)
{
    static const heads_problem problems[] = {
        {1, 1, 64, 1, 1, false, 0},       {239, 1, 64, 1, 1, true, -238},
        {113, 203, 128, 4, 2, false, 0},  {130, 700, 64, 1, 1, false, 0},
        {300, 300, 128, 1, 1, true, 0},   {330, 620, 64, 2, 2, true, 290},
        {140, 390, 128, 2, 2, true, 250}, {260, 100, 64, 4, 2, true, -160},
        {140, 900, 128, 1, 1, false, 0},  {130, 352, 128, 2, 2, false, 0},
        {600, 600, 64, 1, 1, false, 0},   {600, 600, 64, 1, 1, true, 0},
    };

    for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k += one_in(2))
        heads_run_rungs(FIRST_HOPPER, RUNGS, &problems[k], 81 + k);
}

#ifdef CUDA_ON_CPU
enum { MOST_SCORES = 50000 };
#else
enum { MOST_SCORES = 20000000 };
#endif

TEST(shapes_of_FlashAttention_s_tests_are_right)
{
    static const size_t shapes[][2] = {
        {1, 1},     {64, 128},  {239, 1},     {799, 3},     {113, 203},
        {128, 217}, {108, 256}, {1023, 1024}, {4096, 4096}, {4224, 4224}};

    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        size_t Nq = shapes[k][0], Nk = shapes[k][1];

        for (size_t d = 64; d <= 128 && Nq * Nk <= MOST_SCORES; d += 64)
            for (int causal = 0; causal < 2; causal++)
                /* float64 is slow, so the largest shapes run once for each
                 * d. */
                if (Nq < 4096 || (d == 128) == !causal)
                    heads_run_rungs(FIRST_HOPPER, RUNGS,
                                    &(heads_problem){Nq, Nk, d, 1, 1, causal,
                                                     (long)Nk - (long)Nq},
                                    61);
    }
}

/* Fails unless all runs of the layer give the same right bits. */
static void check_schedules(const attention_step *step, const heads_problem *p,
                            uint64_t seed)
{
    size_t rows = p->heads * p->Nq, bytes = rows * p->d * sizeof(float);
    float *first = case_block(bytes, 1);
    float *first_L = case_block(rows, sizeof(float));
    layer_case together;
    heads_case h;
    memory mem;

    heads_make(&h, step, p, seed);
    together = layer_of_cases(h.one, h.n, h.group);
    memory_init(&mem, 0);
    for (int schedule = 0; schedule < 6; schedule += (int)one_in(2)) {
        assert_int_equal(step->run_layer(step, &together.l, &mem), 0);
        if (schedule == 0) {
            memcpy(first, together.O, bytes);
            memcpy(first_L, together.L, rows * sizeof(float));
        }
        if (memcmp(first, together.O, bytes) != 0 ||
            memcmp(first_L, together.L, rows * sizeof(float)) != 0)
            fail_msg("%s, %zu queries, %zu keys, d %zu: O or L of schedule %d "
                     "differs from that of schedule 0",
                     step->name, p->Nq, p->Nk, p->d, schedule);
    }
    heads_check(&h, &together);
    heads_free(&h);
    free(first);
    free(first_L);
}

/* Each launch has a different random order of warps and of copies. */
TEST(random_schedules_give_the_same_right_bits)
{
    static const heads_problem problems[] = {
        {130, 700, 64, 1, 1, true, 500},
        {200, 330, 128, 2, 2, true, 130},
        {70, 800, 128, 1, 1, false, 0},
        {2, 1300, 64, 4, 4, true, 1290},
    };

    cuda_on_cpu_set_seed(7);
    for (int r = FIRST_HOPPER; r < RUNGS; r++)
        for (size_t k = 0; k < sizeof problems / sizeof *problems;
             k += one_in(2))
            if (!ladder[r].fp8)
                check_schedules(step_of(r, BF16), &problems[k], 91 + k);
    cuda_on_cpu_set_seed(0);
}

/* run_after_another runs `before`, then p, in the same arrays. */
static rung_fn *run_twice;
static rung_problem before;

static int run_after_another(const rung_problem *p)
{
    rung_problem other = *p;

    other.Nq = before.Nq;
    other.Nk = before.Nk;
    other.D = before.D;
    other.offset = before.offset;
    int error = run_twice(&other);

    return error ? error : run_twice(p);
}

TEST(cached_launch_data_belongs_to_the_problem)
{
    static const rung_problem others[] = {
        {.Nq = 130, .Nk = 200, .D = 64, .offset = 382},
        {.Nq = 130, .Nk = 512, .D = 64, .offset = -20},
        {.Nq = 70, .Nk = 512, .D = 64, .offset = 382},
        {.Nq = 65, .Nk = 256, .D = 128, .offset = 191},
    };
    auto_case c = case_of(130, 512, 64, 64);
    uint16_t first[130 * 64];
    rung_problem p;
    layer l;

    case_random(&c, 88);
    case_causal(&c, 382);
    l = layer_of(&c.h);
    assert_int_equal(padded_from(&p, &l, BF16, 64), 0);
    for (int r = FIRST_HOPPER; r < RUNGS; r++)
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
            run_twice = ladder[r].run;
            before = others[k];
            assert_int_equal(rung_on_device(run_twice, &p, NULL), 0);
            memcpy(first, p.O, sizeof first);
            assert_int_equal(rung_on_device(run_after_another, &p, NULL), 0);
            if (memcmp(first, p.O, sizeof first) != 0)
                fail_msg("%s after Nq %d, Nk %d, D %d, offset %d: O differs",
                         ladder[r].name, before.Nq, before.Nk, before.D,
                         before.offset);
        }
    padded_free(&p);
}

/* The problems include tiles in which no key is masked. */
TEST(a_scale_that_is_not_above_0_is_right)
{
    for (int r = FIRST_HOPPER; r < RUNGS; r++)
        for (size_t d = 64; d <= 128 && !ladder[r].fp8; d += 64)
            for (int sign = -1; sign <= 0; sign++) {
                auto_case c = case_of(70, 600, d, d);

                case_random(&c, 85);
                c.h.scale *= (float)sign;
                check_case(step_of(r, BF16), &c);
            }
}

/* Each tile must be taken once; in each set of heads, the longest come
 * first. */
static void check_schedule(const rung_problem *p, int heads_in_L2)
{
    int Br = rung_Br(&ladder[RUNG_roles], p->D), of, i0, full;
    int tiles = (p->Nq + Br - 1) / Br, works = tiles * p->heads;
    int *taken = calloc((size_t)works, sizeof *taken), longer = 0;

    for (int t = 0; t < works; t++) {
        int keys = rung_roles_work(p, t, heads_in_L2, &of, &i0, &full);
        int seen_by_all = i0 + p->offset + 1;

        assert_true(of >= 0 && of < p->heads && i0 >= 0 && i0 < p->Nq);
        assert_int_equal(i0 % Br, 0);
        if (seen_by_all > p->Nk)
            seen_by_all = p->Nk;
        assert_int_equal(full, seen_by_all > 0 ? seen_by_all / 128 : 0);
        taken[of * tiles + i0 / Br]++;
        if (heads_in_L2)
            assert_int_equal(of / heads_in_L2, t / (tiles * heads_in_L2));
        if (heads_in_L2 && t % (tiles * heads_in_L2))
            assert_true(keys <= longer);
        longer = keys;
    }
    for (int k = 0; k < works; k++)
        assert_int_equal(taken[k], 1);
    free(taken);
}

TEST(every_tile_is_taken_once_and_the_longest_first)
{
    for (int heads = 1; heads <= 12; heads += 1 + heads / 3)
        for (int Nq = 1; Nq < 1500; Nq += 333)
            for (int offset = -Nq; offset <= 700; offset += 350)
                for (int D = 64; D <= 128; D += 64) {
                    rung_problem p = {.heads = heads,
                                      .group = 1,
                                      .Nq = Nq,
                                      .Nk = 700,
                                      .D = D,
                                      .offset = offset,
                                      .scale = 0.125f};

                    for (int in_L2 = 0; in_L2 <= heads + 1; in_L2++)
                        check_schedule(&p, in_L2);
                }
}

/* K and V of 16384 keys take 32 MiB for 4 heads at d 128. */
TEST(heads_are_processed_together_if_they_fit_in_the_L2)
{
    for (int group = 1; group <= 2; group++)
        for (int D = 64; D <= 128; D += 64)
            for (int t = 0; t < 24 * 3; t++) {
                rung_problem p = {.heads = 24,
                                  .group = group,
                                  .Nq = 500,
                                  .Nk = 16384,
                                  .D = D,
                                  .offset = 3};
                int of, i0, want_of, want_i0, full;

                rung_roles_work(&p, t, 0, &of, &i0, &full);
                /* The scale is 0, so each tile needs mask(). */
                assert_int_equal(full, 0);
                rung_roles_work(&p, t, 512 / D * group, &want_of, &want_i0,
                                &full);
                assert_int_equal(of, want_of);
                assert_int_equal(i0, want_i0);
            }
}

ALSO(the_emulator_found_no_mistake);

int main(void)
{
    int failed;

    if (!hopper_runs_here())
        return 0;
    failed = run_tests("hopper_tiles");
    return run_ladder_tests("hopper", BF16, FIRST_HOPPER, RUNGS) || failed;
}
