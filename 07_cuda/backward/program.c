/*
 * `./run --backward` of chapter 07: the backward pass in CUDA, on a GPU or on the
 * CPU. docs/07_backward.md
 */
#include "07_cuda/backward/program.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/judge/attention_measure.h"
#include "common/lesson/toy.h"
#include "common/print/report.h"

#include "07_cuda/backward/steps.h"

/* --- How much the order of the terms matters ------------------------------ */

/* One head of 32 queries, whose dQ gets something from each of 1,024 keys; on
 * the emulator CUDA_ON_CPU_SEED must be set. */
enum { QUERIES = 32, KEYS = 1024, COLUMNS = 64, RUNS = 10 };

static int run_ten_times(const backward_layer *b, const attention_truth *truth,
                         const attention_step *step)
{
    static float all[RUNS][QUERIES * COLUMNS]; /* dQ of each run */
    double least = HUGE_VAL, most = 0;
    size_t kinds = 0;

    for (size_t n = 0; n < RUNS; n++) {
        measurement cost = {.seconds = 0};
        double error;
        size_t k = 0;

        if (backward_run(b, step, SIZE_MAX, &cost))
            return 1;
        memcpy(all[n], b->dQ.data, sizeof all[n]);
        while (memcmp(all[k], all[n], sizeof all[n]) != 0)
            k++;
        kinds += k == n;
        error = gradient_errors_of(b, truth).dQ;
        least = fmin(least, error);
        most = isnan(error) || error > most ? error : most;
    }
    printf("%-22s %9zu of %d   %.2e to %.2e\n", step->name, kinds, RUNS, least,
           most);
    return 0;
}

static int print_spread(void)
{
    const random_sizes sizes = {1, 1, 1, QUERIES, KEYS, COLUMNS, COLUMNS, 1};
    backward_layer b = {0};
    attention_truth truth = {0};
    int status = arrays_random(&b.forward, &sizes) ||
                 backward_arrays(&b, NULL) || gradient_truth_of(&b, &truth);

    heading("The same problem ten times, blocks in another order each time");
    printf("%-22s %15s   %s\n", "step", "different dQ", "error of dQ");
    for (const attention_step *s = chapter_07_backward; s->name && !status; s++)
        status = run_ten_times(&b, &truth, s);
    truth_free(&truth);
    backward_free(&b);
    return status;
}

/* --- The lesson ----------------------------------------------------------- */

static int lesson(const layer *l, size_t M, const measurement m[])
{
    size_t atomics = counts_moved(m[BACKWARD_atomics].counted);
    size_t two = counts_moved(m[BACKWARD_two_kernels].counted);

    (void)l;
    (void)M;
    if (atomics > 0)
        prose("An element that is added by an atomic is read and written: "
              "backward_two_kernels, which adds nothing in HBM, moves %.2f "
              "times what backward_atomics moves, for seven products in place "
              "of five. backward_tensor_cores moves numbers of two bytes, but "
              "for the sum of dQ; its error, and that of the last two, is "
              "that of bf16, its inputs' too.",
              (double)two / (double)atomics);
    puts("");
    return print_spread();
}

/* The gradients of the toy whose visits chapters 05 and 06 follow. */
static int trace(void)
{
    const attention_step *step = &chapter_07_backward[BACKWARD_two_kernels];
    backward_toy t;
    memory mem;
    int status = backward_toy_begin(&t, step->forward);

    if (status != 0)
        return status;
    memory_init(&mem, 0);
    if (step_run_back(step, &t.g, 1, &mem)) {
        fprintf(stderr, "%s: %s\n", step->name, mem.message);
        return 1;
    }
    heading("What %s makes of it, a thread per query and then per key",
            step->name);
    for (size_t i = 0; i < TOY_N; i++)
        printf("dQ %8.4f %8.4f   dK %8.4f %8.4f   dV %8.4f %8.4f\n",
               (double)t.dQ[2 * i], (double)t.dQ[2 * i + 1],
               (double)t.dK[2 * i], (double)t.dK[2 * i + 1],
               (double)t.dV[2 * i], (double)t.dV[2 * i + 1]);
    puts("");
    next_step("./run --backward, the same on real data");
    return 0;
}

/* The rungs compute plain and causal attention, in tiles that they choose. */
void leave_out_of_07(attention_options *o)
{
    leave_out(o, OPT(mask), OPT(block_mask));
    leave_out(o, OPT(window), OPT(softcap));
    leave_out(o, OPT(br), OPT(sram));
}

const way cuda_back = {
    .about =
        "The backward pass in CUDA: gradients of Q, K and V from that of O.",
    .example = "./run --backward --q common/data/q.npy \\\n"
               "        --k common/data/k.npy --v common/data/v.npy "
               "--grad-q build/dQ.npy",
    .own = chapter_07_backward,
    .reading = BACKWARD_two_kernels,
    .options = leave_out_of_07,
    .lesson = lesson,
    .next = "./run --backward --trace, then docs/07_cuda.md",
    .trace = trace,
};
