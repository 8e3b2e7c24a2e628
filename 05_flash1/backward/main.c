/* Compares recomputing P with reading the stored P. docs/backward.md */
#include "05_flash1/backward/steps.h"
#include "05_flash1/steps.h"
#include "common/lesson/attention/measure_backward.h"
#include "common/lesson/attention/toy_backward.h"

/* Returns flash1_backward's traffic over standard_backward's, by formula. */
static double over_standard(size_t N, size_t d, size_t M)
{
    gradients g = {.h = {.Nq = N, .Nk = N, .d = d, .dv = d}};
    tile_sizes t = flash1_backward_tiles(&g.h, M);

    return (double)counts_moved(flash1_backward_traffic(&g, t)) /
           (double)counts_moved(standard_backward_traffic(&g, t));
}

static double both_passes(const backward_measurement *m)
{
    return (double)(counts_moved(m->counted) + counts_moved(m->forward));
}

static void lesson(const problem *p, const backward_measurement *standard,
                   const backward_measurement *flash)
{
    const head *h = &p->layer.each;

    prose("The forward pass has two matrix products, 4 N^2 d FLOPs. "
          "standard_backward has four, 8 N^2 d, because it reads the P that "
          "the forward pass has stored. flash1_backward has five, 10 N^2 d, "
          "because it recomputes P from Q, K, m and l. It moves %.2f times the "
          "elements that standard_backward moves, or %.2f times if both passes "
          "are counted. From the forward pass it needs m and l, %s elements, "
          "and not P, which has %s.",
          (double)counts_moved(flash->counted) /
              (double)counts_moved(standard->counted),
          both_passes(flash) / both_passes(standard),
          count_text(2 * h->Nq).text, count_text(h->Nq * h->Nk).text);
    prose(
        "The ratio depends on M and d. Eight tiles share the chip, and dQ is "
        "read and written for each tile of keys, as O is in the forward pass. "
        "At N = 4096 and M = %s the formulas give a ratio of %.2f for d = %zu, "
        "%.2f for d = 64 and %.2f for d = 128.",
        count_text(p->M).text, over_standard(4096, h->d, p->M), h->d,
        over_standard(4096, 64, p->M), over_standard(4096, 128, p->M));
    puts("");
}

static int trace(void)
{
    backward_toy t;
    int status = backward_toy_begin(&t, flash1_step);

    if (status != 0)
        return status;
    heading(
        "FlashAttention: tiles of 2 queries x 2 keys, keys in the outer loop");
    status = backward_toy_trace(&t, flash1_backward);
    puts("\np = e^(s - m) / l is recomputed. dp = dO . v, and D is the mean of "
         "all dp of the\nrow with the weights p: ds = p (dp - D). dq is the "
         "value in HBM after the visit.\n");
    next_step("make exercise-05 E=score_gradient_row\n  or: ./run");
    return status;
}

int main(int argc, char **argv)
{
    const char about[] =
        "The backward pass: the gradients of Q, K and V from that of O.";
    backward_problem b = {.known = 0};
    backward_measurement m[2];
    lesson_options o;
    int status;

    if (!options_read(&o, about, "trace causal n nk d seed sram step", argc,
                      argv, &status))
        return report_end(status);
    if (o.trace)
        return report_end(trace());

    problem_of(&b.forward, &o, backward_bytes);
    backward_problem_set_up(&b);
    measure_backward(&m[0], &b, &chapter_05_backward[0]);
    measure_backward(&m[1], &b, &chapter_05_backward[1]);
    if (check_step_name(&b.forward) == 0) {
        print_problem(&b.forward.layer, b.forward.M);
        print_measured_backward(m, 2);
        print_known_heads(&b);
        if (o.no_options)
            lesson(&b.forward, &m[0], &m[1]);
        next_step("make exercise-05 E=score_gradient_row\n  or: ./run --trace\n"
                  "then: make backward-06");
    }
    backward_free(&b);
    return report_end(b.forward.status);
}
