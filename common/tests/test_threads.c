/*
 * Jobs on threads: each is run once, with a memory of its own, and what they
 * counted is added up.
 */
#include "common/threads.h"

#include <string.h>

#include "common/testing/run_tests.h"

enum { JOBS = 37 };

/* Job i of an array of visits: counts itself, and takes i + 1 elements. */
static int visit(const void *job, size_t i, memory *mem)
{
    size_t *const *visits = job;

    (*visits)[i]++;
    mem->counts.exps += i;
    on_chip(mem, 1, i + 1);
    scratch(mem, 2, i + 1);
    hbm_scratch(mem, 3, i + 1, FP32);
    return mem->error;
}

/* Each job has M elements: the most that one took is what a chip needs. HBM that
 * was there before stays: it is needed beside a job's. */
static void check_jobs(size_t n)
{
    size_t visits[JOBS] = {0}, *job = visits;
    memory mem;

    memory_init(&mem, JOBS);
    mem.counts.exps = 1000;
    on_chip(&mem, 1, 5);
    hbm_scratch(&mem, 7, 11, FP32);
    assert_int_equal(run_on_threads(visit, &job, n, &mem), MEMORY_OK);
    for (size_t i = 0; i < JOBS; i++)
        assert_int_equal(visits[i], i < n);
    assert_int_equal(mem.counts.exps, n ? 1000 + n * (n - 1) / 2 : 1000);
    assert_int_equal(mem.on_chip, max_size(n, 5));
    assert_int_equal(mem.scratch, 2 * n);
    assert_int_equal(mem.extra, 7 * 11 + 3 * n);
    memory_reset(&mem);
}

static void every_job_is_run_once_and_counted(void **state)
{
    for (size_t threads = 1; threads <= 5; threads++) {
        use_threads(threads);
        for (size_t n = 0; n <= JOBS; n += 9)
            check_jobs(n);
        check_jobs(JOBS);
    }
}

static void a_job_that_fails_fails_the_run(void **state)
{
    for (size_t threads = 1; threads <= 5; threads++) {
        size_t visits[JOBS] = {0}, *job = visits;
        memory mem;

        use_threads(threads);
        memory_init(&mem, JOBS - 1); /* too small for the last job alone */
        assert_int_equal(run_on_threads(visit, &job, JOBS, &mem),
                         MEMORY_TOO_SMALL);
        assert_int_equal(mem.error, MEMORY_TOO_SMALL);
        assert_non_null(strstr(mem.message, "a tile of 1 x 37 asked for"));
        memory_reset(&mem);
    }
}

/* A million would be more than libgomp's stack and any system holds. */
static void more_threads_than_jobs_are_not_started(void **state)
{
    use_threads(99999999);
    assert_true(thread_count() >= 1 && thread_count() <= 1024);
    assert_int_equal(threads_for(3), min_size(3, thread_count()));
    assert_int_equal(threads_for(0), 1);
    check_jobs(JOBS);
    use_threads(1);
    assert_int_equal(thread_count(), 1);
    assert_int_equal(threads_for(3), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_is_run_once_and_counted),
        cmocka_unit_test(a_job_that_fails_fails_the_run),
        cmocka_unit_test(more_threads_than_jobs_are_not_started),
    };

    return run_tests("threads", tests);
}
