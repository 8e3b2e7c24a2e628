/*
 * How time and memory grow with the length of the sequence: one head of d = 64,
 * each run in a process of its own, so that it can say what its peak memory was.
 *
 *     build/docs/lab/scaling > docs/results/scaling.tsv
 *
 * A step stops before a length at which it would take more than a minute, or
 * 2 GB. Beside each run stands what the cores could do in the same seconds, the
 * slower of a probe before it and one after it: a row whose probe is low was
 * taken on a busy machine, and tables.py refuses it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "04_tiled_attention/steps.h"
#include "06_flash2/steps.h"
#include "common/print/report.h"
#include "common/speed/peak.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"

typedef struct {
    double seconds;  /* of a run; < 0 if it failed */
    double megabyte; /* peak memory of the process, its inputs too */
    double probe;    /* FLOP/s that its threads could do, before or after */
} cost;

/* One of 20 ms may meet somebody else's. */
static double best_probe(void)
{
    double best = 0;

    for (int k = 0; k < 4; k++)
        best = fmax(best, peak_flops(thread_count()));
    return best;
}

/* Of ten runs, or of those begun in a second; < 0 if one failed. */
static double best_of_ten(const layer *p, const attention_step *step)
{
    double best = (double)INFINITY, begun = stopwatch();

    for (int k = 0; k < 10 && stopwatch() < begun + 1 && best >= 0; k++)
        best = fmin(best, bench_run(p, step));
    return best;
}

/* In a process of its own. */
static cost measure_apart(const attention_step *step, size_t N)
{
    cost c = {-1, 0, 0};
    int ends[2];
    pid_t child;

    if (pipe(ends) != 0)
        return c;
    child = fork();
    if (child == 0) {
        attention_arrays a;
        struct rusage usage;

        c.probe = best_probe();
        if (bench_arrays(&a, (bench_shape){1, 1, N, 64, false}) == 0)
            c.seconds = best_of_ten(&a.problem, step);
        c.probe = fmin(c.probe, best_probe());
        getrusage(RUSAGE_SELF, &usage);
        c.megabyte = (double)usage.ru_maxrss / 1024;
        _exit(write(ends[1], &c, sizeof c) != sizeof c);
    }
    close(ends[1]);
    if (read(ends[0], &c, sizeof c) != sizeof c)
        c.seconds = -1;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return c;
}

static void by_length(const attention_step *step)
{
    cost c = {0, 0, 0};

    for (size_t N = 256; N <= 131072; N *= 2) {
        if (4 * c.seconds > 60 || 4 * c.megabyte > 2000)
            break;
        progress("%s: N %zu", step->name, N);
        c = measure_apart(step, N);
        if (c.seconds < 0)
            break;
        printf("%s\t%zu\t%zu\t%.4f\t%.1f\t%.0f\n", step->name, N,
               thread_count(), c.seconds * 1e3, c.megabyte, c.probe / 1e9);
    }
}

int main(void)
{
    printf("step\tN\tthreads\tms\tMB\tprobe_GFLOPs\n");
    by_length(&chapter_04_steps[0]);
    for (const attention_step *s = chapter_06_steps; s->name; s++)
        if (s->run == flash2 || s->run == flash2_lanes || s->run == flash2_simd)
            by_length(s);
    progress_done();
    return report_end(0);
}
