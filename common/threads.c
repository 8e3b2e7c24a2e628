/* Runs jobs on threads, each with its own memory (threads.h). */
#include "common/threads.h"

#include <string.h>

#ifdef _OPENMP
#include <omp.h>

/* OMP_NUM_THREADS can be any number, but libgomp crashes with a million. */
enum { MOST_THREADS = 1024 };
#endif

size_t thread_count(void)
{
#ifdef _OPENMP
    return min_size((size_t)omp_get_max_threads(), MOST_THREADS);
#else
    return 1;
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

/* The largest sizes and the first error of one thread's jobs. */
typedef struct {
    memory mem;
    size_t on_chip, scratch, extra;
    int error;
    char message[sizeof((memory *)0)->message];
} thread_total;

static void run_one(thread_job *run, const void *job, size_t i,
                    thread_total *own)
{
    if (own->error)
        return;
    run(job, i, &own->mem);
    own->on_chip = max_size(own->on_chip, own->mem.on_chip);
    own->scratch = max_size(own->scratch, own->mem.scratch);
    own->extra = max_size(own->extra, own->mem.extra);
    own->error = own->mem.error;
    memcpy(own->message, own->mem.message, sizeof own->message);
    memory_reset(&own->mem);
}

int run_on_threads(thread_job *run, const void *job, size_t n, memory *mem)
{
    size_t on_chip = 0, scratch = 0, extra = 0;

#ifdef _OPENMP
#pragma omp parallel num_threads((int)threads_for(n))
#endif
    {
        thread_total own = {.on_chip = 0};

        memory_init(&own.mem, mem->M);
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
        for (size_t i = 0; i < n; i++)
            run_one(run, job, i, &own);
#ifdef _OPENMP
#pragma omp critical
#endif
        {
            counts_add(&mem->counts, &own.mem.counts);
            on_chip = max_size(on_chip, own.on_chip);
            scratch = max_size(scratch, own.scratch);
            extra = max_size(extra, own.extra);
            if (own.error && !mem->error) {
                mem->error = own.error;
                memcpy(mem->message, own.message, sizeof mem->message);
            }
        }
    }
    mem->on_chip = max_size(mem->on_chip, on_chip);
    mem->scratch = max_size(mem->scratch, scratch);
    mem->extra += extra;
    return mem->error;
}
