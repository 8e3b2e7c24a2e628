/*
 * Tests that a failed allocation is reported by the forward and backward steps
 * and by the traces of chapters 04 to 06.
 */
#define _GNU_SOURCE

#include <math.h>
#include <string.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/backward/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/variants/steps.h"
#include "common/testing/attention_check.h"
#include "common/testing/failing_malloc.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"
#include "common/threads.h"

/* Calls trace repeatedly. In call n allocation n fails. Each call must either
 * return 1 and print one line "--trace: ...memory...", or return 0. */
static void check_each_failure(int trace(void))
{
    size_t failures = 0;
    bool had_failure = true;

    for (long n = 0; had_failure; n++) {
        int failed;

        assert_true(n < 1000);
        begin_capture();
        fail_allocation(n);
        failed = trace();
        had_failure = end_failures();
        assert_true(failed == 0 || failed == 1);
        if (failed)
            assert_error_line("--trace", "emory");
        else
            assert_no_error_line();
        assert_true(had_failure || !failed);
        failures += failed != 0;
    }
    assert_true(failures > 0);
}

/* --- Steps and traces ----------------------------------------------------- */

/* Runs the step, and lets allocation n (from 0 on) fail. Returns false if the
 * step makes at most n allocations. */
static bool fails_at(const attention_step *s, attention_case *c, long n)
{
    memory mem;
    int error;
    bool had_failure;

    memory_init(&mem, MEMORY_UNBOUNDED);
    fail_allocation(n);
    error = case_try(c, s, &mem);
    had_failure = end_failures();
    assert_int_equal(error, had_failure ? MEMORY_FULL : MEMORY_OK);
    assert_int_equal(mem.error, error);
    if (had_failure)
        assert_non_null(strstr(mem.message, "out of memory for an array of "));
    else
        case_check(c, s);
    memory_reset(&mem);
    return had_failure;
}

/* `first` is Q[0][0]: if it is NaN, the fast steps run flash2, and its
 * allocations fail, too. check_case runs the step once before that, because the
 * allocations that start OpenMP's threads must not fail. */
static void fail_each_allocation(const attention_step *s, float first)
{
    for (size_t threads = 1; threads <= 2; threads++) {
        auto_case c = case_of(7, 9, 4, 3);
        long n = 0;

        use_threads(threads);
        case_random(&c, 1);
        q_of(&c, 0)[0] = first;
        for (size_t j = 0; j < 9; j++) /* V is part of K, as mla needs */
            memcpy(v_of(&c, j), k_of(&c, j), 3 * sizeof(float));
        c.h.tile.Br = 2;
        c.h.tile.Bc = 3;
        check_case(s, &c);
        while (fails_at(s, &c, n))
            n++;
        assert_true(n > 0);
    }
}

TEST(every_step_reports_a_failed_allocation)
{
    const attention_step *const all[] = {chapter_04_steps, chapter_05_steps,
                                         chapter_06_steps, chapter_06_variants};
    const backward_step *const back[] = {chapter_05_backward,
                                         chapter_06_backward};

    for (size_t k = 0; k < 2; k++) {
        for (size_t n = 0; n < sizeof all / sizeof *all; n++)
            for (const attention_step *s = all[n]; s->name; s++)
                fail_each_allocation(s, k ? NAN : 1);
        for (size_t n = 0; n < sizeof back / sizeof *back; n++)
            for (const backward_step *s = back[n]; s->name; s++)
                fail_each_allocation(tested(s), k ? NAN : 1);
    }
}

/* stdout also works if the allocation of its buffer fails. */
IN_DIRECTORY(a_trace_without_memory_prints_one_line)
{
    int (*const traces[])(void) = {trace_tiled_attention, trace_flash1,
                                   trace_flash2};

    for (size_t k = 0; k < 3; k++)
        check_each_failure(traces[k]);
}
