/*
 * The backward pass beside what a user would call instead of backward_simd:
 * PyTorch's autograd of its scaled_dot_product_attention, without the forward
 * pass of either.
 *
 *     build/docs/lab/bench_backward_peers [N]
 *
 * Tables, and build/bench_backward_peers.tsv; N: only shapes of at most N
 * queries. PYTHON in the environment names the Python that has torch; without
 * it there is nothing to compare. Both get the same inputs and as many threads,
 * and gradients that are not near float64's are refused. Then come rounds:
 * peak probe, backward_simd, peak probe, PyTorch. docs/backward.md
 */
#include <stdlib.h>

#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/judge/gradient_error.h"
#include "common/npy/replace_file.h"
#include "common/print/outside.h"
#include "common/print/report.h"
#include "common/speed/peak.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"
#include "docs/lab/bench_result.h"
#include "docs/lab/peer_process.h"

enum { ROUNDS = 5, OURS = 0, TORCH = 1, BOTH = 2, MOST_HEADS = 16 * 12 };

static const bench_shape shapes[] = {
    {1, 8, 1024, 64},  {1, 8, 4096, 64},   {1, 8, 4096, 128}, {16, 12, 64, 64},
    {16, 12, 256, 64}, {16, 12, 2048, 64}, {8, 12, 64, 64},
};
static const char *const names[BOTH] = {"backward_simd", "torch_autograd"};
static const double most_error = 1e-5;

/* Q, K, V, dO, random, and O and L by flash2_simd. Returns 0, or 1. */
static int make(bench_shape s, bool causal, backward_layer *b)
{
    const random_sizes sizes = {s.B, s.H, s.H, s.N, s.N, s.d, s.d, 1};
    int failed = 0;
    memory mem;

    *b = (backward_layer){.forward = {.Q_name = ""}};
    if (arrays_random(&b->forward, &sizes) || backward_arrays(b, NULL))
        return 1;
    b->forward.problem.each.causal = causal;
    memory_init(&mem, MEMORY_UNBOUNDED);
    for (size_t n = 0; n < s.B * s.H && !failed; n++) {
        head h = head_at(&b->forward.problem, n);

        failed = flash2_simd(&h, &mem);
    }
    memory_reset(&mem);
    return failed;
}

/* Seconds of a run of backward_simd, the mean of several; < 0 if it failed. */
static double run_ours(const backward_layer *b, size_t heads, size_t runs)
{
    static gradients all[MOST_HEADS];
    double start;
    memory mem;
    int failed = 0;

    for (size_t k = 0; k < heads; k++)
        all[k] = gradients_at(b, k);
    memory_init(&mem, MEMORY_UNBOUNDED);
    start = stopwatch();
    for (size_t k = 0; k < runs && !failed; k++)
        failed = backward_simd_heads(NULL, all, heads, &mem);
    memory_reset(&mem);
    return failed ? -1 : (stopwatch() - start) / (double)runs;
}

/* Of the gradients that the layer holds. */
static double error_of(const backward_layer *b, const gradient_truth *truth)
{
    return worst_gradient_error(gradient_errors_of(b, truth));
}

/* Both compute the gradients once. Returns 0 if both are right. */
static int check(peer_process *torch, const backward_layer *b, size_t heads,
                 bench_result results[BOTH])
{
    gradient_truth truth;
    int failed = gradient_truth_of(b, &truth);

    if (failed)
        return 1;
    failed = run_ours(b, heads, 1) < 0;
    results[OURS].error = error_of(b, &truth);
    failed |= peer_backward_problem(torch, b) || peer_gradients(torch, b);
    results[TORCH].error = error_of(b, &truth);
    gradient_truth_free(&truth);
    for (size_t who = 0; who < BOTH; who++)
        if (failed || !(results[who].error < most_error)) {
            fprintf(stderr, "bench_backward_peers: %s: %s\n", names[who],
                    failed ? torch->says : "its gradients are wrong");
            return 1;
        }
    return 0;
}

/* Five products, 10 d FLOPs for each query and key that it sees. */
static double flops_of(const layer *p)
{
    return 2.5 * bench_flops(p);
}

static void write_line(FILE *tsv, table *t, const layer *p, bench_result *r,
                       double ours)
{
    double seconds = median_seconds(r, ROUNDS);
    double rate = 1e-9 * flops_of(p) / seconds;
    double share = quantile(r->share, ROUNDS, 0.5);

    if (!(share <= 1)) {
        bench_refuse(t, r->name, share);
        return;
    }
    fprintf(tsv, "%s\t%zu\t%zu\t%zu\t%zu\t%d\t%zu\t%.2f\t%.4f\t%.4f\t%.1e\n",
            r->name, p->B, p->Hq, p->each.Nq, p->each.d, p->each.causal,
            thread_count(), rate, share, 1e3 * seconds, r->error);
    table_row(t, "%s|%.1f|%.0f%%|%.2f|%.2fx|%s", r->name, rate, 100 * share,
              1e3 * seconds, seconds / ours, error_text(r->error).text);
}

static int measure(FILE *tsv, peer_process *torch, bench_shape s, bool causal)
{
    bench_result results[BOTH] = {{.name = names[OURS]},
                                  {.name = names[TORCH]}};
    size_t heads = s.B * s.H, runs;
    backward_layer b;
    table t = {.used = 0};
    int failed = make(s, causal, &b);
    const layer *p = &b.forward.problem;

    if (!failed)
        failed = check(torch, &b, heads, results);
    /* So many of ours take at least 10 ms. */
    runs = failed ? 0 : 1 + (size_t)(0.01 / run_ours(&b, heads, 1));
    for (size_t r = 0; r < ROUNDS && !failed; r++)
        for (size_t who = 0; who < BOTH && !failed; who++) {
            double before = peak_flops(thread_count()), *taken;

            progress("%s: round %zu of %d", shape_text(p).text, r + 1, ROUNDS);
            taken = &results[who].seconds[r];
            if (who == OURS)
                *taken = run_ours(&b, heads, runs);
            else
                failed = peer_time(torch, p, runs, taken);
            failed |= !(*taken > 0);
            results[who].share[r] = flops_of(p) / *taken /
                                    ((before + peak_flops(thread_count())) / 2);
        }
    progress_done();
    if (!failed) {
        double ours = median_seconds(&results[OURS], ROUNDS);

        heading("%s", shape_text(p).text);
        table_row(&t, "who|GFLOP/s|of peak|ms|time|error");
        for (size_t who = 0; who < BOTH; who++)
            write_line(tsv, &t, p, &results[who], ours);
        table_print(&t);
        puts("");
    }
    backward_free(&b);
    return failed;
}

int main(int argc, char **argv)
{
    const char *python = getenv("PYTHON");
    size_t most = SIZE_MAX;
    peer_process torch;
    replacement file;
    int failed = 0;

    if (argc > 2 || (argc == 2 && (!size_from(argv[1], &most) || most < 64))) {
        fprintf(stderr, "bench_backward_peers: '%s': not a number from 64 on\n",
                shown(argv[argc - 1]).text);
        return 2;
    }
    if (peer_start(&torch, python ? python : "python3", names[TORCH])) {
        printf("%s: not found (make torch, or PYTHON=one that has it)\n",
               names[TORCH]);
        return 0;
    }
    printf("%s: %s; %zu threads\n\n", names[TORCH], torch.says, thread_count());
    if (replace_begin(&file, "build/bench_backward_peers.tsv"))
        return 1;
    fprintf(file.file, "step\tB\tH\tN\td\tcausal\tthreads\tgflops\tshare\tms\t"
                       "error\n");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && !failed; i++)
        for (int causal = 0; shapes[i].N <= most && causal < 2 && !failed;
             causal++)
            failed = measure(file.file, &torch, shapes[i], causal);
    peer_stop(&torch);
    failed = replace_end(&file, 1, failed);
    bench_end();
    next_step("open docs/backward.md");
    return report_end(failed);
}
