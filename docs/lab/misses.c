/*
 * Measures the traffic independently of the counts in load and store. Runs the
 * kernels under valgrind's cachegrind, which simulates a cache of 2 M elements
 * and prints the number of misses.
 *
 *     build/docs/lab/misses > docs/results/misses.tsv
 *
 * A line has: step, M, elements read by the counts of load, elements fetched by
 * load, elements fetched by the whole kernel. The program runs itself under
 * cachegrind with a step (or none) and M as arguments.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/lesson/attention/measure.h"

enum { N = 512, D = 32, LINE = 16 };

static const attention_step *const steps[] = {
    &chapter_04_steps[0], &chapter_05_steps[0], &chapter_06_steps[1]};

/* Runs the step. Returns the elements read, by the counts of load, or 0. */
static size_t counted(const char *step, size_t M)
{
    size_t read = 0;
    measurement m;
    problem p;

    problem_random(&p, &(problem_sizes){1, 1, 1, N, N, D, D, 1});
    p.M = M;
    p.only = step;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        measure_runs(&m, &p, steps[k], 1, false);
        if (m.done && p.status == 0)
            read = m.counted.read[ALGORITHM];
    }
    problem_free(&p);
    return read;
}

typedef struct {
    double by_loads, all; /* elements */
} fetched;

/* For each function cachegrind prints a line fn=NAME and lines of numbers, of
 * which the seventh counts reads that missed the last cache level. load calls
 * memcpy. */
static fetched in_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char text[4096];
    fetched sum = {0, 0};
    bool copies = false;
    double missed;

    while (file && fgets(text, sizeof text, file))
        if (!strncmp(text, "fn=", 3))
            copies = strstr(text, "memcpy") || strstr(text, "memmove");
        else if (sscanf(text, "%*d %*d %*d %*d %*d %*d %lf", &missed) == 1) {
            missed *= (double)LINE;
            sum.all += missed;
            sum.by_loads += copies ? missed : 0;
        }
    if (file)
        fclose(file);
    return sum;
}

/* The cache has 2 M elements. Returns 0 elements if valgrind fails. */
static fetched under_cachegrind(const char *program, const char *step, size_t M)
{
    char command[600], path[300];
    fetched sum = {0, 0};

    snprintf(path, sizeof path, "%s.cachegrind", program);
    snprintf(command, sizeof command,
             "valgrind -q --tool=cachegrind --cache-sim=yes --D1=1024,2,64 "
             "--I1=32768,8,64 --LL=%zu,16,64 --cachegrind-out-file=%s "
             "%s %s %zu 2>/dev/null",
             2 * M * sizeof(float), path, program, step, M);
    if (system(command) != -1)
        sum = in_file(path);
    remove(path);
    return sum;
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return counted(argv[1], strtoul(argv[2], NULL, 10)) == 0;
    for (size_t M = 1024; M <= 32768; M *= 2) {
        fetched without = under_cachegrind(argv[0], "nothing", M);

        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            const char *step = steps[k]->name;
            fetched with = under_cachegrind(argv[0], step, M);

            if (with.all <= without.all) {
                fprintf(stderr,
                        "misses: %s: cachegrind reports no misses (sh setup.sh "
                        "--dev installs valgrind)\n",
                        step);
                return 1;
            }
            printf("%s\t%zu\t%zu\t%.0f\t%.0f\n", step, M, counted(step, M),
                   with.by_loads - without.by_loads, with.all - without.all);
        }
    }
    return 0;
}
