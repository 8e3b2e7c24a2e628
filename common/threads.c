#include "common/threads.h"

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>

/* OMP_NUM_THREADS can be any number, but libgomp crashes with a million. */
enum { MOST_THREADS = 1024 };

static size_t most_threads = MOST_THREADS;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A forked process has only the thread that called fork. libgomp would wait
 * forever for its other threads, and a lock may be held by a lost thread. */
static void after_fork(void)
{
    most_threads = 1;
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, after_fork);
}
#endif

size_t thread_count(void)
{
#ifdef _OPENMP
    return min_size((size_t)omp_get_max_threads(), most_threads);
#else
    return 1;
#endif
}

void threads_lock(void)
{
#ifdef _OPENMP
    pthread_mutex_lock(&lock);
#endif
}

void threads_unlock(void)
{
#ifdef _OPENMP
    pthread_mutex_unlock(&lock);
#endif
}

size_t threads_for(size_t jobs)
{
    return jobs ? min_size(jobs, thread_count()) : 1;
}

void use_threads(size_t n)
{
#ifdef _OPENMP
    omp_set_num_threads((int)n);
#else
    (void)n;
#endif
}

int run_on_threads(thread_job *run, const void *job, size_t n, memory *mem)
{
    memory largest;

    memory_init(&largest, mem->M);
#ifdef _OPENMP
#pragma omp parallel num_threads((int)threads_for(n))
#endif
    {
        memory own, total; /* total: sizes and error of the thread's jobs */

        memory_init(&own, mem->M);
        memory_init(&total, mem->M);
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
        for (size_t i = 0; i < n; i++) {
            if (total.error)
                continue;
            run(job, i, &own);
            memory_raise(&total, &own);
            memory_return(&total, &own);
        }
        threads_lock();
        counts_add(&mem->counts, &own.counts);
        memory_raise(&largest, &total);
        memory_return(mem, &total);
        threads_unlock();
    }
    mem->on_chip = max_size(mem->on_chip, largest.on_chip);
    mem->scratch = max_size(mem->scratch, largest.scratch);
    mem->extra += largest.extra;
    return mem->error;
}
