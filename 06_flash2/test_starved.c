/*
 * Steps, forward and backward, and traces of chapters 04 to 06 where memory runs
 * out, at every allocation in turn: an error and one line, not a wrong answer.
 */
#define _GNU_SOURCE

#include "common/testing/starve.h"

#include <math.h>
#include <string.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/backward/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/testing/attention_check.h"
#include "common/threads.h"

/* The step with its n-th allocation failing; was there one? */
static bool starves(const attention_step *s, attention_case *c, long n)
{
    memory mem;
    int error;
    bool starved;

    memory_init(&mem, MEMORY_UNBOUNDED);
    starve_after(n);
    error = case_try(c, s, &mem);
    starved = starve_end();
    assert_int_equal(error, starved ? MEMORY_FULL : MEMORY_OK);
    assert_int_equal(mem.error, error);
    if (starved)
        assert_non_null(strstr(mem.message, "out of memory for an array of "));
    else
        case_check(c, s);
    memory_reset(&mem);
    return starved;
}

/* A first run starts the threads, which are OpenMP's affair. With a NaN the fast
 * steps leave the work to flash2, which may find no memory, either. */
static void starve_at_each(const attention_step *s, float first)
{
    for (size_t threads = 1; threads <= 2; threads++) {
        auto_case c = case_of(7, 9, 4, 3);
        long n = 0;

        use_threads(threads);
        case_random(&c, 1);
        q_of(&c, 0)[0] = first;
        for (size_t j = 0; j < 9; j++) /* as mla wants it */
            memcpy(v_of(&c, j), k_of(&c, j), 3 * sizeof(float));
        c.h.tile.Br = 2;
        c.h.tile.Bc = 3;
        check_case(s, &c);
        while (starves(s, &c, n))
            n++;
        assert_true(n > 0);
    }
}

TEST(every_step_says_that_it_has_no_memory)
{
    const attention_step *const all[] = {chapter_04_steps, chapter_05_steps,
                                         chapter_06_steps, chapter_06_variants};
    const backward_step *const back[] = {chapter_05_backward,
                                         chapter_06_backward};

    for (size_t k = 0; k < 2; k++) {
        for (size_t n = 0; n < sizeof all / sizeof *all; n++)
            for (const attention_step *s = all[n]; s->name; s++)
                starve_at_each(s, k ? NAN : 1);
        for (size_t n = 0; n < sizeof back / sizeof *back; n++)
            for (const backward_step *s = back[n]; s->name; s++)
                starve_at_each(tested(s), k ? NAN : 1);
    }
}

/* The buffer of stdout is one that it can do without. */
IN_DIRECTORY(a_trace_without_memory_says_so_in_one_line)
{
    int (*const traces[])(void) = {trace_tiled_attention, trace_flash1,
                                   trace_flash2};

    for (size_t k = 0; k < 3; k++)
        assert_starves(traces[k], "--trace");
}
