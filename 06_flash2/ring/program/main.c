/*
 * The program of ring/: one process a rank, begun by mpirun.
 *
 *     sh 06_flash2/ring/mpirun.sh 4 build/06_flash2/ring/run
 *
 * docs/ring.md
 */
#include "06_flash2/ring/program/orders.h"
#include "common/print/report.h"
#include "common/program/attention_program.h"

#include <stdlib.h>

/* --- Tables ---------------------------------------------------------------- */

static void compare_steps(void)
{
    const outcome *all = outcome_of("gather"), *one = outcome_of("ring");

    if (one->sent == 0)
        return;
    puts("");
    prose("Each rank owns 1/%zu of the rows, and whatever it lacks comes in "
          "messages. gather and ring send the same, for both pass every chunk "
          "of K and V to every rank; but ring forgets a chunk when it has seen "
          "it, and holds %.0f%% of what gather holds.",
          rank_count(), 100 * (double)one->held / (double)all->held);
    prose(
        "Balance: the average rank's work over the slowest one's. With "
        "neighbouring rows and a causal limit the last rank sees nearly all "
        "keys and the first one few; zigzag gives each rank an early and a "
        "late chunk. ulysses sends %.0f%% of ring's bytes, tree %.3g%%: it is "
        "for few queries and many keys.",
        100 * (double)outcome_of("ulysses")->sent / (double)one->sent,
        100 * (double)outcome_of("tree")->sent / (double)one->sent);
}

/* Forward with the time, back without. */
static void print_steps(const measurement m[], size_t n)
{
    const bool forward = !is_backward(m[0].step);
    table t = {0};

    table_row(&t,
              "step|bytes sent, by formula|counted|floats held|balance|"
              "error%s",
              forward ? "|time" : "");
    for (size_t k = 0; k < n; k++) {
        const outcome *o = outcome_of(m[k].name);

        table_row(&t, "%s|%s|%s%s|%s|%.3f|%s%s%s", m[k].name,
                  count_text(o->sent_formula).text, count_text(o->sent).text,
                  o->differs ? " (DIFFERS)" : "", count_text(o->held).text,
                  o->balance, error_cell(&m[k]).text, forward ? "|" : "",
                  forward ? time_text(o->seconds).text : "");
    }
    table_print(&t);
    printf("(of %zu rank%s the one that sends, holds, works or waits most)\n",
           rank_count(), rank_count() == 1 ? "" : "s");
    if (forward && n > 1)
        compare_steps();
}

static int lesson_back(const layer *l, size_t M, const measurement m[])
{
    (void)l;
    (void)M;
    (void)m;
    prose("K and V go round as on the way forward; dK and dV follow them, take "
          "what each rank adds, and go one hop more: home. dQ stays.");
    return 0;
}

/* --- The program ----------------------------------------------------------- */

/* Ranks take no mask, window, cap or tiles, and no M: their memory is their
 * own. */
static void ring_options(attention_options *o)
{
    leave_out(o, OPT(trace), OPT(trace));
    leave_out(o, OPT(mask), OPT(block_mask));
    leave_out(o, OPT(judge_error), OPT(judge_v));
    leave_out(o, OPT(window), OPT(sram));
    o->heads.size = 8;
}

static void back_options(attention_options *o)
{
    ring_options(o);
    leave_out(o, OPT(sweep), OPT(csv));
}

#define RUN "sh 06_flash2/ring/mpirun.sh 4 build/06_flash2/ring/run"

/* Asked nothing, it shows the bundled problem with a causal limit: zigzag is
 * about that. */
static int program(int argc, char **argv)
{
    static char causal[] = "--causal";
    static attention_step own[9], also[9], own_back[9];
    static const way forward = {
        .about = "Chapter 06 on many machines: attention over the ranks of "
                 "MPI.\n(--backward: its gradients; see --backward --help)",
        .example = RUN " --n 1000 \\\n"
                       "        --causal --step zigzag --out build/O.npy",
        .called = RUN,
        .own = own,
        .also = also,
        .reading = 1, /* ring */
        .options = ring_options,
        .tables = print_steps,
    };
    static const way back = {
        .about = "Chapter 06 on many machines: the gradients of attention over "
                 "the ranks of MPI.",
        .example = RUN " --backward \\\n"
                       "        --n 1000 --causal --grad-k build/dK.npy",
        .called = RUN,
        .own = own_back,
        .options = back_options,
        .tables = print_steps,
        .lesson = lesson_back,
        .next = "make test-ring: are they float64's",
    };
    char *asked[] = {argv[0], causal, NULL};

    steps_on_ranks(own, also, own_back);
    return attention_program(&forward, &back, argc > 1 ? argc : 2,
                             argc > 1 ? argv : asked);
}

int main(int argc, char **argv)
{
    setenv("NO_COLOR", "1", 0); /* mpirun lends each rank a terminal */
    return run_ranks(argc, argv, program);
}
