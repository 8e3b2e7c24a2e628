/* The program of chapter 06's backward pass. docs/backward.md */
#include "05_flash1/backward/steps.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/lesson/attention/measure_backward.h"
#include "common/lesson/attention/toy_backward.h"

/* The measured steps: chapter_05_backward, then chapter_06_backward. */
enum { STANDARD, FLASH1, FLASH2, TWO_KERNEL, PARALLEL, SIMD, STEPS };

static double percent(const backward_measurement *a,
                      const backward_measurement *b)
{
    return 100 * (double)counts_moved(a->counted) /
           (double)counts_moved(b->counted);
}

static void lesson(const backward_measurement m[])
{
    prose("One number per row, L, replaces m and l, and no division is left. O "
          "is needed only for D and is not read in the loops. So the traffic "
          "of flash2_backward is %.1f%% of that of flash1_backward, and "
          "%.1f%% of that of standard_backward.",
          percent(&m[FLASH2], &m[FLASH1]), percent(&m[FLASH2], &m[STANDARD]));
    prose("dQ is still read and written for each tile of keys. "
          "two_kernel_backward first computes dQ and then dK and dV, each in "
          "loops in which it stays on chip. It has %.1f%% of the traffic of "
          "flash1_backward, but computes seven products instead of five (14 "
          "N^2 d FLOPs; the forward pass has 4 N^2 d). Its blocks are "
          "independent, so flash2_backward_parallel gives the same bits.",
          percent(&m[TWO_KERNEL], &m[FLASH1]));
    puts("");
}

/* --- By hand -------------------------------------------------------------- */

typedef struct {
    const gradients *g;
    table lines;
} stores;

static void watch(void *watcher, bool stored, array a, size_t i0, matrix tile)
{
    stores *s = watcher;
    const float *to = a.hbm.data;
    const char *name = to == s->g->dQ.hbm.data   ? "dQ"
                       : to == s->g->dK.hbm.data ? "dK"
                       : to == s->g->dV.hbm.data ? "dV"
                                                 : "D";

    for (size_t i = 0; stored && i < tile.rows; i++)
        table_row(&s->lines, "%s|%zu|%s", name, i0 + i,
                  numbers_text(row(tile, i), tile.cols).text);
}

static int print_stores(backward_toy *t, backward_fn *kernel)
{
    stores s = {.g = &t->g};

    table_row(&s.lines, "stored|row|");
    if (backward_toy_run(t, kernel, watch, &s))
        return 1;
    table_print(&s.lines);
    return 0;
}

static int trace(void)
{
    backward_toy t;
    int status = backward_toy_begin(&t, flash2_step);

    if (status != 0)
        return status;
    heading("FlashAttention-2, keys outside: dQ is stored after each visit");
    status = backward_toy_trace(&t, flash2_backward);
    if (status != 0)
        return status;
    puts("\np = e^(s - L) is recomputed. dp = dO . v, and D is the mean of "
         "all dp of the\nrow with the weights p: ds = p (dp - D). dq is the "
         "value in HBM after the visit.\n");
    heading("Two kernels: each row is stored once, when it is done");
    status = print_stores(&t, two_kernel_backward);
    puts("");
    next_step("make exercise-06 E=visit_tile_backward\n  or: ./run");
    return status;
}

int main(int argc, char **argv)
{
    const char about[] =
        "The backward pass: the gradients of Q, K and V from that of O.";
    backward_problem b = {.known = 0};
    backward_measurement m[STEPS];
    lesson_options o;
    int status;

    if (!options_read(&o, about, "trace causal n nk d seed sram step", argc,
                      argv, &status))
        return report_end(status);
    if (o.trace)
        return report_end(trace());

    problem_of(&b.forward, &o, backward_bytes);
    backward_problem_set_up(&b);
    for (size_t k = STANDARD; k < FLASH2; k++)
        measure_backward(&m[k], &b, &chapter_05_backward[k]);
    for (size_t k = FLASH2; k < STEPS; k++)
        measure_backward(&m[k], &b, &chapter_06_backward[k - FLASH2]);
    if (check_step_name(&b.forward) == 0) {
        print_problem(&b.forward.layer, b.forward.M);
        print_measured_backward(m, STEPS);
        print_known_heads(&b);
        if (o.no_options)
            lesson(m);
        next_step(
            "make exercise-06 E=visit_tile_backward\n  or: ./run --trace\n"
            "then: open docs/backward.md");
    }
    backward_free(&b);
    return report_end(b.forward.status);
}
