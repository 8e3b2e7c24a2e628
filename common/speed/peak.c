#include "common/speed/peak.h"

#include <stdlib.h>
#include <time.h>

#include "common/print/report.h"

#define X(target) &peak_loops_##target,
static const peak_loops *const loops[] = {TARGETS};
#undef X

#define SECONDS 0.02

/* The number of rounds between two readings of the clock. 1000 rounds of
 * multiply_add take about 50 microseconds. */
#define ROUNDS 1000

static const peak_loops *chosen(void)
{
    char message[160];
    size_t t = choose_target(message);

    return t < target_count() ? loops[t] : NULL;
}

/* Uses a result, so that the compiler keeps the loop that computes it. */
static void use(float result)
{
    volatile float kept = result;

    (void)kept;
}

double speed_clock(size_t threads)
{
    struct timespec now;

    if (threads != 1)
        return stopwatch();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double peak_of(float (*run)(size_t n), size_t flops, size_t threads)
{
    double start, end = 0;
    size_t rounds = 0;

    if (threads == 0)
        return 0;
#ifdef _OPENMP
#pragma omp parallel num_threads((int)threads) reduction(+ : rounds)
#endif
    {
        use(run(ROUNDS));
#ifdef _OPENMP
#pragma omp barrier
#pragma omp single
#endif
        start = speed_clock(threads);
        do {
            use(run(ROUNDS));
            rounds += ROUNDS;
        } while (speed_clock(threads) < start + SECONDS);
#ifdef _OPENMP
#pragma omp critical
#endif
        end = speed_clock(threads);
    }
    return (double)(rounds * flops) / (end - start);
}

double peak_flops(size_t threads)
{
    const peak_loops *loop = chosen();

    return loop ? peak_of(loop->multiply_add, loop->flops, threads) : 0;
}

double peak_read(size_t threads, const float *x, size_t n)
{
    const peak_loops *loop = chosen();
    double start = stopwatch();

    if (!loop || threads == 0)
        return 0;
#ifdef _OPENMP
#pragma omp parallel for num_threads((int)threads) schedule(static, 1)
#endif
    for (size_t t = 0; t < threads; t++) {
        size_t share = n / threads, from = share * t;

        use(loop->sum(x + from, t == threads - 1 ? n - from : share));
    }
    return (double)(n * sizeof *x) / (stopwatch() - start);
}

double peak_bandwidth(size_t threads)
{
    size_t n = (size_t)64 << 20;
    float *x = malloc(n * sizeof *x);
    double speed;

    if (!x)
        return 0;
    /* After a write each page has its own physical memory. */
    for (size_t i = 0; i < n; i++)
        x[i] = 1;
    speed = peak_read(threads, x, n);
    free(x);
    return speed;
}
