/*
 * The program of chapter 07's backward pass: gradients by CUDA kernels, on a
 * GPU or on the CPU. docs/07_backward.md
 */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/lesson/attention/measure_backward.h"
#include "common/lesson/attention/toy_backward.h"

#include "07_cuda/backward/steps.h"
#include "07_cuda/host/device.h"

enum { QUERIES = 32, KEYS = 1024, COLUMNS = 64, RUNS = 10 };

/* True if this machine can run the step, and nvcc could compile it. A rung
 * that is compiled refuses D = 0, and launches nothing. */
static bool is_here(const backward_step *s)
{
    const gradient_rung *r = &backward_ladder[s - chapter_07_backward];
    const gradient_problem none = {
        .forward = {.heads = 1, .group = 1, .Nq = 1, .Nk = 1}};

    return widest_here(&r->needs) > 0 && r->run(&none) != NO_KERNEL;
}

/* Runs a step RUNS times. Prints the number of different results for dQ, and
 * the smallest and the largest error of dQ. Returns 1 if a run fails. */
static int run_ten_times(backward_problem *b, const backward_step *step)
{
    static float all[RUNS][QUERIES * COLUMNS];
    double least = HUGE_VAL, most = 0;
    size_t kinds = 0;

    for (size_t n = 0; n < RUNS; n++) {
        backward_measurement m = {.seconds = 0};
        double error;
        size_t k = 0;

        if (backward_run(&m, b, step))
            return 1;
        memcpy(all[n], b->dQ.data, sizeof all[n]);
        while (memcmp(all[k], all[n], sizeof all[n]) != 0)
            k++;
        kinds += k == n;
        error = problem_gradient_errors(b).dQ;
        least = fmin(least, error);
        most = isnan(error) || error > most ? error : most;
    }
    printf("%-22s %9zu of %d   %.2e to %.2e\n", step->name, kinds, RUNS, least,
           most);
    return 0;
}

static int print_spread(void)
{
    const problem_sizes sizes = {1, 1, 1, QUERIES, KEYS, COLUMNS, COLUMNS, 1};
    backward_problem b = {.known = 0};
    int status = problem_random(&b.forward, &sizes);

    b.forward.M = SIZE_MAX;
    if (status == 0)
        status = backward_problem_set_up(&b);
    heading("Ten runs of the same problem; the order of blocks may differ");
    printf("%-22s %15s   %s\n", "step", "different dQ", "error of dQ");
    for (const backward_step *s = chapter_07_backward; s->name && !status; s++)
        if (is_here(s))
            status = run_ten_times(&b, s);
    backward_free(&b);
    return status;
}

static int lesson(const backward_measurement m[])
{
    size_t atomics = counts_moved(m[BACKWARD_atomics].counted);
    size_t two = counts_moved(m[BACKWARD_two_kernels].counted);

    if (atomics > 0)
        prose("Each atomic addition reads and writes an element. "
              "backward_two_kernels adds nothing in HBM. It moves %.2f times "
              "as many elements as backward_atomics, and computes seven "
              "products instead of five. The other steps move elements of "
              "two bytes, except for L, D and the sum of dQ. Their error is "
              "the rounding error of bf16, including that of the inputs.",
              (double)two / (double)atomics);
    puts("");
    return print_spread();
}

/* Prints the gradients of the toy problem that chapters 05 and 06 trace. */
static int trace(void)
{
    const backward_step *step = &chapter_07_backward[BACKWARD_two_kernels];
    backward_toy t;
    memory mem;
    int status = backward_toy_begin(&t, step->forward);

    if (status != 0)
        return status;
    memory_init(&mem, 0);
    if (backward_step_run(step, &t.g, 1, &mem)) {
        fprintf(stderr, "%s: %s\n", step->name, mem.message);
        return 1;
    }
    heading("The gradients of %s: one thread per query, then one per key",
            step->name);
    for (size_t i = 0; i < TOY_N; i++)
        printf("dQ %8.4f %8.4f   dK %8.4f %8.4f   dV %8.4f %8.4f\n",
               (double)t.dQ[2 * i], (double)t.dQ[2 * i + 1],
               (double)t.dK[2 * i], (double)t.dK[2 * i + 1],
               (double)t.dV[2 * i], (double)t.dV[2 * i + 1]);
    puts("");
    next_step("make exercise-07 E=owned_rows\n  or: ./run");
    return 0;
}

int main(int argc, char **argv)
{
    const char about[] =
        "The backward pass in CUDA: gradients of Q, K and V from that of O.";
    backward_measurement m[BACKWARD_RUNGS] = {0};
    backward_problem b = {.known = 0};
    lesson_options o;
    size_t n = 0;
    int status;

    if (!options_read(&o, about, "trace causal n nk d seed step", argc, argv,
                      &status))
        return report_end(status);
    if (o.trace)
        return report_end(trace());
    /* Makes the emulator's order of blocks random in each run. */
    setenv("CUDA_ON_CPU_SEED", "1", 0);

    problem_of(&b.forward, &o, gradient_bytes);
    backward_problem_set_up(&b);
    for (const backward_step *s = chapter_07_backward; s->name; s++, n++)
        if (is_here(s))
            measure_backward(&m[n], &b, s);
    if (check_step_name(&b.forward) == 0) {
        for (n = 0; n < BACKWARD_RUNGS; n++)
            print_left_out(stdout, chapter_07_backward[n].name,
                           &backward_ladder[n].needs);
        print_problem(&b.forward.layer, 0);
        print_measured_backward(m, n);
#ifdef CUDA_ON_CPU
        puts("The times are the emulator's, on this CPU. A GPU has other "
             "times.");
#endif
        print_known_heads(&b);
        if (o.no_options) {
            b.forward.status = lesson(m);
            puts("");
        }
        next_step("make exercise-07 E=owned_rows\n  or: ./run --trace\n"
                  "then: open docs/07_backward.md");
    }
    backward_free(&b);
    return report_end(b.forward.status);
}
