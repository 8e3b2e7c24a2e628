/* Tests the number of threads, the extra memory, and forked processes. */
#include "common/threads.h"

#include "common/testing/run_tests.h"

#include <sys/wait.h>
#include <unistd.h>

enum { JOBS = 37 };

static int count_one(const void *job, size_t i, memory *mem)
{
    (void)job;
    (void)i;
    mem->counts.exps++;
    return mem->error;
}

static int use_hbm(const void *job, size_t i, memory *mem)
{
    (void)job;
    hbm_scratch(mem, i + 1, 2, FP32);
    return mem->error;
}

TEST(the_extra_memory_is_that_of_the_largest_job)
{
    memory mem;

    memory_init(&mem, 0);
    assert_int_equal(run_on_threads(use_hbm, NULL, JOBS, &mem), MEMORY_OK);
    assert_int_equal(mem.extra, JOBS * 2);
}

/* A hundred million threads would exceed libgomp's stack and the limit of any
 * system. */
TEST(more_threads_than_jobs_are_not_started)
{
    memory mem;

    use_threads(99999999);
    assert_true(thread_count() >= 1 && thread_count() <= 1024);
    assert_int_equal(threads_for(3), min_size(3, thread_count()));
    assert_int_equal(threads_for(0), 1);
    memory_init(&mem, 0);
    assert_int_equal(run_on_threads(count_one, NULL, JOBS, &mem), MEMORY_OK);
    assert_int_equal(mem.counts.exps, JOBS);
    use_threads(1);
    assert_int_equal(thread_count(), 1);
    assert_int_equal(threads_for(3), 1);
}

/* The child of the second fork loses a thread that holds the lock. */
TEST(a_forked_process_runs_jobs_on_one_thread)
{
    memory mem;
    int status;

    for (int locked = 0; locked < 2; locked++) {
        use_threads(4);
        memory_init(&mem, 0);
        assert_int_equal(run_on_threads(count_one, NULL, JOBS, &mem), 0);
        if (locked)
            threads_lock();
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(20);
            use_threads(4);
            run_on_threads(count_one, NULL, JOBS, &mem);
            _exit(mem.counts.exps == 2 * JOBS && thread_count() == 1 ? 0 : 1);
        }
        if (locked)
            threads_unlock();
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    assert_true(thread_count() <= 4);
}
