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
#include <time.h>

#include "06_flash2/steps.h"
#include "common/peak.h"
#include "common/replace_file.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"
#include "docs/lab/bench_result.h"
#include "docs/lab/peer_openblas.h"
#include "docs/lab/peer_process.h"

enum { ROUNDS = 7 };

static const double most_error = 1e-5; /* in fp32 it is below 2e-6 */

static const bench_shape shapes[] = {
    {1, 8, 1024, 64},  {1, 8, 4096, 64},   {1, 8, 4096, 128}, {16, 12, 64, 64},
    {16, 12, 256, 64}, {16, 12, 2048, 64}, {8, 12, 64, 64},
};

typedef struct {
    const char *name, *get; /* get: how it is installed */
    attention_step step;    /* of this process; */
    bool apart;             /* or in one of its own */
    bool here;
    peer_process process;
    /* Its times over flash2_simd's: how many, their logarithms, the least. */
    size_t ratios;
    double logarithms, least;
    words least_at;
} contender;

enum { OURS, OPENBLAS, TORCH, NUMPY, CONTENDERS };

static contender contenders[CONTENDERS] = {
    {.name = "flash2_simd",
     .step = {.run = flash2_simd, .run_heads = flash2_simd_heads},
     .here = true},
    {.name = "openblas",
     .get = "Debian: apt-get install libopenblas0, or OPENBLAS=its file",
     .step = {.run = openblas_attention,
              .run_heads = openblas_attention_heads}},
    {.name = "torch",
     .get = "make torch, or PYTHON=one that has it",
     .apart = 1},
    {.name = "numpy",
     .get = "make torch, or PYTHON=one that has it",
     .apart = 1},
};

static words shape_text(const attention_problem *p)
{
    words w;

    snprintf(w.text, sizeof w.text, "(%zu, %zu, %zu, %zu)%s", p->B, p->Hq,
             p->Nq, p->d, p->causal ? " causal" : "");
    return w;
}

/* Until the threads of this process sleep: idle ones spin for a while, and a
 * peer shall have all cores. Some are told never to sleep. */
static void rest(void)
{
    clock_t used = clock(), before = used - CLOCKS_PER_SEC;

    for (int i = 0; i < 50 && used - before > CLOCKS_PER_SEC / 2000; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
        before = used;
        used = clock();
    }
}

static void find(contender *c)
{
    const char *python = getenv("PYTHON"), *says = c->process.says;

    progress("looking for %s", c->name);
    if (c->apart)
        c->here =
            !peer_start(&c->process, python ? python : "python3", c->name);
    else
        c->here = (says = openblas_open()) != NULL;
    progress_done();
    if (c->here)
        printf("%s: %s\n", c->name, says);
    else
        printf("%s: not found%s%s (%s)\n", c->name, says ? ": " : "",
               says ? says : "", c->get);
}

/* It takes no further part. */
static int drop(contender *c)
{
    progress_done();
    fprintf(stderr, "bench_peers: %s: %s; no more of it\n", c->name,
            c->apart ? c->process.says : "it failed");
    c->here = false;
    return 1;
}

/* Is it to be timed on this problem? Its output is held against float64. */
static bool is_right(contender *c, const attention_problem *p, double *error,
                     int *failed)
{
    int said = PEER_OK;

    progress("%s: %s", shape_text(p).text, c->name);
    fill(matrix_of(p->O, heads_of(p) * p->Nq, p->d), NAN);
    if (!c->apart)
        said = bench_run(p, &c->step) < 0 ? PEER_FAILED : PEER_OK;
    else if (!(said = peer_problem(&c->process, p)))
        said = peer_output(&c->process, p);
    progress_done();
    if (said == PEER_FAILED)
        *failed = drop(c);
    if (said == PEER_DECLINES)
        printf("%s: left out: %s\n", c->name, c->process.says);
    if (said)
        return false;
    *error = bench_error(p);
    if (*error < most_error)
        return true;
    fprintf(stderr, "bench_peers: %s: %s: relative error %s: refused\n",
            c->name, shape_text(p).text, error_text(*error).text);
    *failed = 1;
    return false;
}

/* Seconds of a run, of several after one that wakes the threads; < 0: none. */
static double time_of(contender *c, const attention_problem *p, size_t runs)
{
    double seconds = 0, more = 0;

    if (c->apart) {
        rest();
        if (peer_time(&c->process, p, runs, &seconds))
            seconds = -1;
        return seconds;
    }
    if (runs > 1)
        bench_run(p, &c->step);
    for (size_t i = 0; i < runs && more >= 0; i++) {
        more = bench_run(p, &c->step);
        seconds += more;
    }
    return more < 0 ? more : seconds / (double)runs;
}

static void note_ratio(contender *c, const attention_problem *p, double ratio)
{
    c->logarithms += log(ratio);
    if (c->ratios++ == 0 || ratio < c->least) {
        c->least = ratio;
        c->least_at = shape_text(p);
    }
}

/* All who are right, in rounds; the first is flash2_simd. */
static int time_all(FILE *tsv, const attention_problem *p, contender *who[],
                    bench_result *results, size_t n)
{
    /* So many of ours take at least 10 ms. */
    size_t runs = 1 + (size_t)(0.01 / bench_run(p, &who[0]->step));
    double most = 0;
    table t = {0};
    int failed = 0;

    for (size_t r = 0; r < ROUNDS; r++) {
        double before = peak_flops(thread_count()), after;

        for (size_t i = 0; i < n; i++, before = after) {
            progress("%s: round %zu of %d, %s", shape_text(p).text, r + 1,
                     ROUNDS, who[i]->name);
            if (who[i]->here &&
                (results[i].seconds[r] = time_of(who[i], p, runs)) < 0)
                failed = drop(who[i]);
            after = peak_flops(thread_count());
            results[i].share[r] =
                bench_flops(p) / results[i].seconds[r] / ((before + after) / 2);
            most = fmax(most, after);
        }
    }
    progress_done();
    table_row(&t, "who|GFLOP/s|of peak|ms|spread|time|error");
    for (size_t i = 0; i < n; i++) {
        double ratio = median_seconds(&results[i], ROUNDS) /
                       median_seconds(&results[0], ROUNDS);

        if (!who[i]->here)
            continue;
        if (bench_line(tsv, &t, p, &results[i], ROUNDS, ratio))
            failed = 1;
        else
            note_ratio(who[i], p, ratio);
    }
    table_print(&t);
    printf("highest peak %.1f GFLOP/s\n\n", most * 1e-9);
    return failed;
}

static int measure(FILE *tsv, bench_shape shape, bool causal)
{
    contender *who[CONTENDERS];
    bench_result results[CONTENDERS];
    attention_problem p;
    size_t n = 0;
    int failed = 0;

    if (bench_new(&p, shape, causal))
        return 1;
    heading("%s", shape_text(&p).text);
    for (contender *c = contenders; c < contenders + CONTENDERS; c++)
        if (c->here && is_right(c, &p, &results[n].error, &failed)) {
            results[n].name = c->name;
            who[n++] = c;
        }
    if (n > 0 && who[0] == &contenders[OURS])
        failed |= time_all(tsv, &p, who, results, n);
    bench_free(&p);
    return failed;
}

static void print_ratios(void)
{
    table t = {0};
    size_t here = 0;

    table_row(&t, "time over flash2_simd's|shapes|mean|least|at");
    for (contender *c = contenders + 1; c < contenders + CONTENDERS; c++)
        if (c->ratios) {
            table_row(&t, "%s|%zu|%.2fx|%.2fx|%s", c->name, c->ratios,
                      exp(c->logarithms / (double)c->ratios), c->least,
                      c->least_at.text);
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
    char *end = "";
    size_t most = argc > 1 ? strtoul(argv[1], &end, 10) : SIZE_MAX;
    replacement file;
    int failed = 0;

    if (argc > 2 || *end || most < 64 || (argc > 1 && *argv[1] == '-')) {
        fprintf(stderr,
                "bench_peers: '%s': not a number of queries, 64 or "
                "more\n",
                argv[argc - 1]);
        return 2;
    }
    if (replace_begin(&file, "build/bench_peers.tsv"))
        return 1;
    bench_header(file.file);
    for (contender *c = contenders + 1; c < contenders + CONTENDERS; c++)
        find(c);
    printf("\n%zu threads\n\n", thread_count());
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int causal = 0; shapes[i].N <= most && causal < 2; causal++)
            failed |= measure(file.file, shapes[i], causal);
    for (contender *c = contenders; c < contenders + CONTENDERS; c++)
        if (c->apart)
            peer_stop(&c->process);
    failed |= replace_end(&file);
    print_ratios();
    next_step("open docs/cpu_speed.md");
    return report_end(failed);
}
