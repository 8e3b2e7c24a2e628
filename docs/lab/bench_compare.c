/*
 * What lanes bring and what threads bring (bench_compare.h).
 */
#include "docs/lab/bench_compare.h"

#include <stdio.h>

#include "06_flash2/steps.h"
#include "common/print/report.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"
#include "docs/lab/bench_result.h"

static const attention_step *step_of(attention_fn *run)
{
    const attention_step *s = chapter_06_steps;

    while (s->run != run)
        s++;
    return s;
}

/* Step's time over that of flash2 on one thread, on so many threads. */
static double times_flash2(const layer *p, double flash2_alone,
                           const attention_step *step, size_t threads)
{
    size_t all = thread_count();
    double seconds;

    use_threads(threads);
    seconds = bench_run(p, step);
    use_threads(all);
    return flash2_alone / seconds;
}

int bench_compare(double until)
{
    enum { ROUNDS = 5 };
    size_t rounds = 0;
    const attention_step *flash2_alone = step_of(flash2);
    double lanes[ROUNDS], threads[ROUNDS];
    layer p;

    if (bench_new(&p, (bench_shape){1, 8, 1024, 64}, false))
        return 1;
    for (; rounds < ROUNDS && (!rounds || stopwatch() < until); rounds++) {
        double seconds;

        progress("lanes, threads: round %zu of %d", rounds + 1, ROUNDS);
        seconds = bench_run(&p, flash2_alone);
        lanes[rounds] = times_flash2(&p, seconds, step_of(flash2_lanes), 1);
        threads[rounds] =
            times_flash2(&p, seconds, step_of(flash2_parallel), thread_count());
    }
    progress_done();
    heading("times flash2 at (1, 8, 1024, 64)");
    printf("flash2_lanes, one thread      %5.1fx\n"
           "flash2_parallel, %zu threads   %5.2fx\n",
           quantile(lanes, rounds, 0.5), thread_count(),
           quantile(threads, rounds, 0.5));
    bench_free(&p);
    return 0;
}
