/*
 * What `./run --backward` of chapter 05 tells: what it costs to make P again,
 * and what it costs to have stored it. docs/backward.md
 */
#include "05_flash1/backward/program.h"

#include "05_flash1/backward/steps.h"
#include "05_flash1/steps.h"
#include "common/lesson/toy.h"
#include "common/print/report.h"

/* flash1_backward's traffic over standard's, by formula. */
static double over_standard(size_t N, size_t d, size_t M)
{
    gradients g = {.h = {.Nq = N, .Nk = N, .d = d, .dv = d}};
    tile_sizes t = flash1_backward_tiles(&g.h, M);

    return (double)counts_moved(flash1_backward_traffic(&g, t)) /
           (double)counts_moved(standard_backward_traffic(&g, t));
}

static double both_ways(const measurement *m)
{
    return (double)(counts_moved(m->counted) + counts_moved(m->forward));
}

static int lesson(const layer *l, size_t M, const measurement m[])
{
    const measurement *flash = backward_measured(m, flash1_backward);
    const measurement *standard = backward_measured(m, standard_backward);
    size_t d = l->each.d;

    prose("Forward, attention has two products, 4 N^2 d FLOPs. "
          "standard_backward has "
          "four, 8 N^2 d, since it reads the P that the forward pass has "
          "stored; flash1_backward has five, 10 N^2 d: it makes P again from "
          "Q, K, m and l. So it moves %.2f times what standard_backward moves, "
          "and %.2f times with the forward pass of each added; and it keeps %s "
          "elements from the forward pass, not %s.",
          (double)counts_moved(flash->counted) /
              (double)counts_moved(standard->counted),
          both_ways(flash) / both_ways(standard),
          count_text(2 * l->each.Nq).text,
          count_text(l->each.Nq * l->each.Nk).text);
    prose("That depends on M and d. Eight tiles share the chip, and dQ travels "
          "as O does forward. At N = 4096 and M = %s it would be %.2f times "
          "for d = %zu, %.2f for d = 64 and %.2f for d = 128.",
          count_text(M).text, over_standard(4096, d, M), d,
          over_standard(4096, 64, M), over_standard(4096, 128, M));
    return 0;
}

static int trace(void)
{
    backward_toy t;
    int status = backward_toy_begin(&t, &chapter_05_steps[0]);

    if (status != 0)
        return status;
    heading("FlashAttention: tiles of 2 queries x 2 keys, keys outside");
    status = backward_toy_trace(&t, flash1_backward);
    puts("\np = e^(s - m) / l, made again. dp = dO . v is what a weight is "
         "worth,\nD their mean: ds = p (dp - D). dq is what lies in HBM after "
         "the visit.\n");
    next_step("./run --backward, the same on real data");
    return status;
}

const way flash1_back = {
    .about = "The backward pass: the gradients of Q, K and V from that of O.",
    .example = "./run --backward --q common/data/q.npy \\\n"
               "        --k common/data/k.npy --v common/data/v.npy "
               "--grad-q build/dQ.npy",
    .own = chapter_05_backward,
    .reading = 1, /* flash1_backward */
    .lesson = lesson,
    .trace = trace,
    .next = "./run --backward --trace, then docs/backward.md",
};
