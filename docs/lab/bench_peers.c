/*
 * The benchmark with what a user would call instead of flash2_simd: three
 * OpenBLAS calls a head, PyTorch's attention, NumPy's textbook expression.
 *
 *     build/docs/lab/bench_peers [N]    tables, and build/bench_peers.tsv;
 *                                       N: only shapes of at most N queries
 *
 * PYTHON in the environment names the Python that has torch and numpy, and
 * OPENBLAS the library; who is not found is left out. All get the same inputs.
 * A peer whose output on them is not near float64's is refused. Then come
 * rounds as in bench.c: peak probe, one of them, peak probe, the next.
 */
#include <math.h>
#include <stdlib.h>

#include "06_flash2/steps.h"
#include "common/speed/peak.h"
#include "common/npy/replace_file.h"
#include "common/print/outside.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"
#include "docs/lab/bench_result.h"
#include "docs/lab/peer.h"
#include "docs/lab/peer_openblas.h"

enum { ROUNDS = 7, PEERS = 4 };

static const bench_shape shapes[] = {
    {1, 8, 1024, 64},  {1, 8, 4096, 64},   {1, 8, 4096, 128}, {16, 12, 64, 64},
    {16, 12, 256, 64}, {16, 12, 2048, 64}, {8, 12, 64, 64},
};

/* flash2_simd is the first. */
static peer peers[PEERS] = {
    {.name = "flash2_simd",
     .step = {.run = flash2_simd, .run_layer = flash2_simd_layer},
     .here = true},
    {.name = "openblas",
     .get = "Debian: apt-get install libopenblas0, or OPENBLAS=its file",
     .step = {.run = openblas_attention,
              .run_layer = openblas_attention_layer}},
    {.name = "torch",
     .get = "make torch, or PYTHON=one that has it",
     .apart = true},
    {.name = "numpy",
     .get = "make torch, or PYTHON=one that has it",
     .apart = true},
};

/* A peer's times over flash2_simd's, one for each shape. */
static struct {
    size_t count;
    double logarithms, least;
    words least_at;
} ratios[PEERS];

static void note_ratio(size_t who, const layer *p, double ratio)
{
    ratios[who].logarithms += log(ratio);
    if (ratios[who].count++ == 0 || ratio < ratios[who].least) {
        ratios[who].least = ratio;
        ratios[who].least_at = shape_text(p);
    }
}

/* Rounds of all that takes part; returns the highest peak. */
static double time_rounds(const layer *p, const bool takes_part[],
                          bench_result results[])
{
    /* So many of flash2_simd's take at least 10 ms. */
    size_t runs = 1 + (size_t)(0.01 / bench_run(p, &peers->step));
    double most = 0;

    for (size_t r = 0; r < ROUNDS; r++) {
        double before = peak_flops(thread_count()), after;

        for (size_t i = 0; i < PEERS; i++, before = after) {
            after = before;
            if (!takes_part[i] || !peers[i].here)
                continue;
            progress("%s: round %zu of %d, %s", shape_text(p).text, r + 1,
                     ROUNDS, peers[i].name);
            results[i].seconds[r] = peer_seconds(&peers[i], p, runs);
            after = peak_flops(thread_count());
            results[i].share[r] =
                bench_flops(p) / results[i].seconds[r] / ((before + after) / 2);
            most = fmax(most, after);
        }
    }
    progress_done();
    return most;
}

static int measure(FILE *tsv, bench_shape shape, bool causal)
{
    bench_result results[PEERS];
    bool takes_part[PEERS], is_wrong, failed = false;
    layer p;
    double most, ours;
    table t = {0};

    if (bench_new(&p, shape, causal))
        return 1;
    heading("%s", shape_text(&p).text);
    for (size_t i = 0; i < PEERS; i++) {
        is_wrong = false;
        results[i] = (bench_result){.name = peers[i].name};
        takes_part[i] =
            peers[i].here &&
            peer_is_right(&peers[i], &p, &results[i].error, &is_wrong);
        failed |= is_wrong;
    }
    most = time_rounds(&p, takes_part, results);
    ours = median_seconds(results, ROUNDS);
    table_row(&t, "who|GFLOP/s|of peak|ms|spread|time|error");
    for (size_t i = 0; i < PEERS; i++) {
        double ratio = median_seconds(&results[i], ROUNDS) / ours;

        if (!takes_part[i])
            continue;
        if (!peers[i].here)
            failed = true;
        else if (bench_line(tsv, &t, &p, &results[i], ROUNDS, ratio))
            note_ratio(i, &p, ratio);
    }
    table_print(&t);
    printf("highest peak %.1f GFLOP/s\n\n", most * 1e-9);
    bench_free(&p);
    return failed;
}

static void print_ratios(void)
{
    table t = {0};
    size_t here = 0;

    table_row(&t, "time over flash2_simd's|shapes|mean|least|at");
    for (size_t i = 1; i < PEERS; i++)
        if (ratios[i].count) {
            table_row(&t, "%s|%zu|%.2fx|%.2fx|%s", peers[i].name,
                      ratios[i].count,
                      exp(ratios[i].logarithms / (double)ratios[i].count),
                      ratios[i].least, ratios[i].least_at.text);
            here++;
        }
    if (here == 0) {
        printf("There is no peer to compare with.\n");
        return;
    }
    table_print(&t);
    printf("The mean is geometric. Half the FLOPs are counted if causal, "
           "whatever is computed.\n");
}

int main(int argc, char **argv)
{
    size_t most = SIZE_MAX;
    replacement file;
    int failed = 0;

    if (argc > 2 || (argc == 2 && (!size_from(argv[1], &most) || most < 64))) {
        fprintf(stderr, "bench_peers: '%s': not a number from 64 on\n",
                shown(argv[argc - 1]).text);
        return 2;
    }
    if (replace_begin(&file, "build/bench_peers.tsv"))
        return 1;
    bench_header(file.file);
    for (size_t i = 1; i < PEERS; i++)
        peer_find(&peers[i]);
    printf("\n%zu threads\n\n", thread_count());
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int causal = 0; shapes[i].N <= most && causal < 2; causal++)
            failed |= measure(file.file, shapes[i], causal);
    for (size_t i = 0; i < PEERS; i++)
        peer_end(&peers[i]);
    failed |= replace_end(&file, 1, 0);
    print_ratios();
    bench_end();
    next_step("open docs/cpu_speed.md");
    return report_end(failed);
}
