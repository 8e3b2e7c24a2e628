/*
 * Measures on one core how many numbers per second this machine multiplies, and
 * how many it loads from each cache and from memory.
 *
 *     make moving
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/speed/peak.h"
#include "common/print/report.h"

#define X(target) &peak_loops_##target,
static const peak_loops *const loops[] = {TARGETS};
#undef X

#define MOST    ((size_t)256 << 20) /* bytes */
#define SECONDS 0.01                /* the shortest time of a try */

enum { TRIES = 10 };

/* Returns the floats per second of the fastest of several tries. */
static double read_rate(const peak_loops *loop, const float *x, size_t n)
{
    volatile float kept;
    double best = 0;

    for (int i = 0; i < TRIES; i++) {
        double start = stopwatch(), end;
        size_t floats = 0;

        do {
            for (size_t inside = 0; inside < (size_t)1 << 18; inside += n)
                kept = loop->sum(x, n), floats += n;
            end = stopwatch();
        } while (end < start + SECONDS);
        best = fmax(best, (double)floats / (end - start));
    }
    (void)kept;
    return best;
}

static double multiply_rate(void)
{
    double best = 0;

    for (int i = 0; i < TRIES; i++)
        best = fmax(best, peak_flops(1) / 2);
    return best;
}

static words bytes_text(size_t bytes)
{
    words w;

    if (bytes >> 20)
        snprintf(w.text, sizeof w.text, "%zu MB", bytes >> 20);
    else
        snprintf(w.text, sizeof w.text, "%zu KB", bytes >> 10);
    return w;
}

static void print_rows(const peak_loops *loop, const float *x)
{
    static const size_t kilobytes[] = {16, 512, 4096, MOST >> 10};
    double adds = multiply_rate();
    table t = {0};

    table_row(&t, "an array of|is read at|numbers|to multiply one is");
    for (size_t k = 0; k < sizeof kilobytes / sizeof *kilobytes; k++) {
        double rate = read_rate(loop, x, (kilobytes[k] << 10) / sizeof *x);

        table_row(&t, "%s|%.1f GB/s|%.1f billion/s|%.1f times faster",
                  bytes_text(kilobytes[k] << 10).text, rate * sizeof *x * 1e-9,
                  rate * 1e-9, adds / rate);
    }
    printf("One core multiplies and adds %.1f billion/s, and reads:\n",
           adds * 1e-9);
    table_print(&t);
    printf("next: make bench-quick\n");
}

int main(void)
{
    char message[160];
    size_t chosen = choose_target(message);
    float *x = malloc(MOST);

    if (chosen == target_count() || !x) {
        fprintf(stderr, "moving: %s\n", x ? message : "out of memory");
        free(x);
        return x ? 2 : 1;
    }
    for (size_t i = 0; i < MOST / sizeof *x; i++)
        x[i] = 1; /* a page has no memory until it is written */
    print_rows(loops[chosen], x);
    free(x);
    return report_end(0);
}
