/* Tests of the emulator's counts, all head sizes, and refused problems. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "07_cuda/bench/full_without.h"
#include "07_cuda/host/device.h"
#include "07_cuda/host/padded.h"
#include "07_cuda/tests/heads.h"
#include "07_cuda/tests/no_findings.h"
#include "common/testing/assert_close.h"

static struct cuda_counts launch_counts(int r, size_t N, size_t d)
{
    auto_case c = case_of(N, N, d, d);
    layer one = layer_of(&c.h);
    memory mem;

    case_random(&c, 73);
    memory_init(&mem, 0);
    assert_int_equal(rung_layer(&ladder[r], ladder[r].type, &one, &mem), 0);
    return cuda_on_cpu_counts();
}

TEST(the_numbers_of_rungs_are_those_of_their_files)
{
    for (int r = 0; r < RUNGS; r++) {
        char path[80];

        snprintf(path, sizeof path, "07_cuda/rung%s_%s.cu", ladder[r].number,
                 ladder[r].name);
        if (access(path, F_OK) != 0)
            fail_msg("%s: no such file", path);
    }
}

/* Up to d = 64 each thread has a query. */
TEST(no_block_is_without_queries)
{
    struct cuda_counts flash2 = launch_counts(RUNG_flash2, 512, 64);

    assert_int_equal(flash2.blocks * flash2.most_threads, 512);
}

/* There are 4 tiles of 64 keys and 4 blocks of 64 queries. */
TEST(sliced_k_needs_barriers_that_split_q_does_not)
{
    for (size_t d = 64; d <= 128; d += 64) {
        struct cuda_counts sliced = launch_counts(RUNG_sliced_k, 256, d);
        struct cuda_counts split = launch_counts(RUNG_split_q, 256, d);

        assert_int_equal(sliced.barriers, 4 * 4 * (2 + 2 * d / 32));
        assert_int_equal(split.barriers, 4 * 4 * 2);
        assert_int_equal(sliced.mma, split.mma);
        assert_int_equal(sliced.global_loaded, split.global_loaded);
        assert_true(sliced.shared_loaded > 2 * split.shared_loaded);
        assert_true(sliced.shared_stored > 4 * split.shared_stored);
    }
}

/* If a rung used more shared memory than in the table, fewer blocks would fit.
 * The table includes up to 1 KiB of __shared__ variables. */
TEST(a_block_has_the_shared_memory_of_the_table)
{
    for (int r = 0; r < RUNGS; r++)
        for (int k = 0; k < HEAD_SIZES; k++) {
            int KiB = ladder[r].needs.KiB[k];
            size_t used;

            if (KiB == 0)
                continue;
            used = launch_counts(r, 64, (size_t)head_size[k]).most_shared;
            if (used > 1024 * (size_t)KiB ||
                (used > 0 && used + 1024 < 1024 * (size_t)KiB))
                fail_msg("%s, d %d: %zu bytes, and the ladder has %d KiB",
                         ladder[r].name, head_size[k], used, KiB);
        }
}

TEST(cp_async_needs_one_barrier_a_tile)
{
    /* Each of 4 blocks has one barrier for each of 4 tiles, and two for Q. */
    assert_int_equal(launch_counts(RUNG_cp_async, 256, 64).barriers,
                     4 * (4 + 2));
    assert_int_equal(launch_counts(RUNG_swizzle, 256, 64).barriers,
                     4 * (2 * 4 + 1));
}

/* Each of 2 blocks has two barriers for each of 8 tiles: for K and for V. */
TEST(one_buffer_for_K_and_one_for_V_need_two_barriers_a_tile)
{
    assert_int_equal(launch_counts(RUNG_full, 256, 128).barriers, 2 * 8 * 2);
}

TEST(the_swizzle_leaves_no_bank_conflict)
{
    cuda_on_cpu_set_effort(CUDA_FULL);
    for (size_t d = 32; d <= 256; d *= 2)
        for (int r = RUNG_split_q; r < FIRST_HOPPER; r++) {
            struct cuda_counts c;

            if (!columns_for(&ladder[r].needs, d))
                continue;
            c = launch_counts(r, 200, d);

            assert_true(c.shared_wavefronts_best > 0);
            if (r == RUNG_split_q)
                assert_true(c.shared_wavefronts > 2 * c.shared_wavefronts_best);
            else
                assert_int_equal(c.shared_wavefronts, c.shared_wavefronts_best);
        }
    cuda_on_cpu_set_effort(CUDA_CHECK);
}

/* Reading K and V, which are not swizzled, has 71680 conflicts. */
TEST(the_parts_of_sliced_k_leave_no_bank_conflict)
{
    struct cuda_counts c;

    cuda_on_cpu_set_effort(CUDA_FULL);
    c = launch_counts(RUNG_sliced_k, 256, 64);
    assert_int_equal(c.shared_wavefronts - c.shared_wavefronts_best, 71680);
    cuda_on_cpu_set_effort(CUDA_CHECK);
}

bool far_heads_are_found(void); /* addresses.cu */

int queries_on_two_devices(void); /* addresses.cu */

TEST(a_launch_queries_the_driver_again_on_another_device)
{
    assert_int_equal(queries_on_two_devices(), 3);
}

TEST(addresses_beyond_2_to_the_31_rows_are_right)
{
    assert_true(far_heads_are_found());
}

TEST(rows_32_halves_the_fetches_of_K_and_V)
{
    struct cuda_counts narrow = launch_counts(RUNG_cp_async, 256, 64);
    struct cuda_counts wide = launch_counts(RUNG_full, 256, 64);
    size_t of_Q = 256 / 16 * 64 / 16;

    assert_int_equal(wide.mma, narrow.mma);
    assert_int_equal(2 * (wide.ldmatrix - of_Q), narrow.ldmatrix - of_Q);
}

TEST(rung_7_is_right_without_each_of_its_parts)
{
    const attention_step *const step = step_of(RUNG_full, BF16);

    for (size_t k = 0; k < sizeof full_without / sizeof full_without[0]; k++)
        for (size_t d = 32; d <= 256; d *= 2) {
            auto_case c = case_of(150, 170, d, d);
            rung_problem p;
            layer one;

            case_random(&c, 74);
            case_causal(&c, 20);
            case_expect(&c, step);
            one = layer_of(&c.h);
            assert_int_equal(padded_from(&p, &one, BF16, (int)d), 0);
            assert_int_equal(rung_on_device(full_without[k].run, &p, NULL), 0);
            padded_to(&one, &p);
            case_check(&c, step);
            padded_free(&p);
        }
}

/* For each D there is a head with d = D and one with a smaller d. */
TEST(every_head_size_and_heads_that_share_K_and_V_are_right)
{
    static const heads_problem problems[] = {
        {70, 90, 27, 1, 1, true, 15},    {70, 90, 32, 1, 1, true, 15},
        {70, 90, 59, 1, 1, true, 15},    {70, 90, 64, 1, 1, true, 15},
        {70, 90, 123, 1, 1, true, 15},   {70, 90, 128, 1, 1, true, 15},
        {70, 90, 251, 1, 1, true, 15},   {70, 90, 256, 1, 1, true, 15},
        {70, 50, 25, 4, 2, false, 0},    {37, 150, 20, 4, 2, true, -20},
        {190, 0, 60, 1, 1, false, 0},    {130, 190, 100, 2, 1, true, 150},
        {150, 60, 200, 4, 2, true, -80},
    };

    for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++)
        heads_run_rungs(0, RUNGS, &problems[k], 75);
}

static void refused(int r, head h, const char *why)
{
    memory mem;

    memory_init(&mem, 0);
    assert_int_equal(step_run(step_of(r, BF16), &h, &mem), MEMORY_REFUSED);
    if (!strstr(mem.message, why))
        fail_msg("\"%s\" does not contain \"%s\"", mem.message, why);
}

TEST(a_mask_a_softcap_and_wide_heads_are_refused)
{
    auto_case c = case_of(3, 4, 2, 2), wide = case_of(3, 4, 2, 257);
    head plain = c.h, h;

    case_mask(&c);
    refused(RUNG_full, c.h, "no mask");
    h = plain;
    h.rule.softcap = 30;
    refused(RUNG_full, h, "no softcap");
    h = plain;
    h.rule.window = 2;
    refused(RUNG_full, h, "no window");
    h = plain;
    h.rule.slope = 0.5f;
    refused(RUNG_full, h, "no ALiBi");
    refused(RUNG_full, wide.h, "dv 257 don't fit (1 to 256 are allowed)");
    wide.h.dv = 129;
    refused(RUNG_split_q, wide.h, "(1 to 128 are allowed)");
}

/* S has 9e12 elements. Its arrays are not allocated. */
TEST(a_rung_that_needs_too_much_memory_allocates_none)
{
    head h = {.Nq = 3000000, .Nk = 3000000, .d = 64, .dv = 64, .scale = 1};
    memory mem;

    memory_init(&mem, 0);
    assert_int_equal(step_run(step_of(RUNG_standard, BF16), &h, &mem),
                     MEMORY_FULL);
    assert_non_null(strstr(mem.message, "out of memory: in all 36.0 TB"));
    /* On the host and the device Q, K, V, O, L; there also m, l, scratch, S. */
    h.Nq = h.Nk = 100;
    assert_close(ladder_bytes(&h, "standard"),
                 sizeof(float) * (8 * 100 * 64 + 4 * 100 + 100 * 100) + 22800,
                 0);
    assert_true(ladder_bytes(&h, NULL) >= ladder_bytes(&h, "standard"));
    assert_true(ladder_bytes(&h, "full") < ladder_bytes(&h, "standard"));
}

/* Rungs before warp_tiles use no dynamic shared memory. */
TEST(a_rung_without_enough_shared_memory_starts_nothing)
{
    const struct cuda_counts before = cuda_on_cpu_counts();
    auto_case c = case_of(3, 11, 20, 20);

    case_random(&c, 5);
    cuda_on_cpu_most_shared(0);
    for (int r = RUNG_warp_tiles; r < RUNGS; r++) {
        memory mem;

        memory_init(&mem, 0);
        if (ladder[r].fp8)
            continue; /* the pre-pass of rung 11 would start */
        assert_int_equal(step_run(step_of(r, BF16), &c.h, &mem), MEMORY_FULL);
    }
    cuda_on_cpu_most_shared(SIZE_MAX);
    assert_int_equal(cuda_on_cpu_counts().kernel == before.kernel, 1);
}

ALSO(the_emulator_found_no_mistake);
