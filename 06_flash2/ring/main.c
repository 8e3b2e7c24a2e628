/*
 * The program of ring/. mpirun starts one process for each rank:
 *
 *     sh 06_flash2/ring/mpirun.sh 4 build/06_flash2/ring/run
 *
 * docs/ring.md
 */
#define _POSIX_C_SOURCE 200809L /* setenv */

#include "06_flash2/ring/on_ranks.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 16, HEADS = 8 };

/* --- Tables --------------------------------------------------------------- */

static void print_comparison(const outcome *gather, const outcome *ring)
{
    puts("");
    prose("Each rank owns 1/%zu of the rows and receives the other rows in "
          "messages. gather and ring send as many bytes: each chunk of K and V "
          "is passed to every rank. But ring overwrites a chunk after its use, "
          "and needs %.0f%% of the memory of gather.",
          rank_count(), 100 * (double)ring->held / (double)gather->held);
    prose("Balance is the work of the average rank divided by the work of the "
          "busiest rank. With neighbouring rows and a causal limit the last "
          "rank attends to nearly all keys, and the first rank attends to few. "
          "With zigzag each rank owns an early and a late chunk.");
}

static void print_outcomes(const ring_step *const of[], const outcome all[],
                           size_t n)
{
    table t = {0};

    table_row(&t, "step|sent, by formula|counted|floats held|balance|"
                  "error|time");
    for (size_t k = 0; k < n; k++)
        table_row(&t, "%s|%s|%s%s|%s|%.3f|%s|%s", of[k]->name,
                  count_text(all[k].formula).text, count_text(all[k].sent).text,
                  all[k].differs ? " (DIFFERS)" : "",
                  count_text(all[k].held).text, all[k].balance,
                  error_text(all[k].error).text,
                  time_text(all[k].seconds).text);
    table_print(&t);
    printf("(bytes, floats and time: the maximum over %zu rank%s)\n",
           rank_count(), rank_count() == 1 ? "" : "s");
}

/* --- The problem ---------------------------------------------------------- */

/* Makes HEADS random heads, or the bundled layer. If back, also computes O, L
 * and the gradients in float64. Returns the status of the problem. */
static int make_problem(backward_problem *b, const lesson_options *o, bool back)
{
    const problem_sizes sizes = {1,     HEADS, HEADS, o->n,
                                 o->nk, o->d,  o->d,  o->seed};
    problem *p = &b->forward;
    head *h = &p->layer.each;
    measurement m;

    if (o->n)
        problem_random(p, &sizes);
    else
        problem_bundled(p);
    p->only = o->step;
    h->rule.causal = o->causal;
    h->rule.offset = (long)h->Nk - (long)h->Nq;
    if (p->status || !back)
        return p->status;
    p->only = NULL;
    measure_runs(&m, p, &ring_flash2, 1, false);
    p->only = o->step;
    p->steps[0] = '\0';
    if (backward_problem_set_up(b) == 0)
        problem_gradient_errors(b); /* computes gradients in float64 */
    return p->status;
}

static int run(const lesson_options *o, bool back, bool prints)
{
    const ring_step *of[MOST_STEPS];
    outcome all[MOST_STEPS];
    backward_problem b = {.known = 0};
    problem *p = &b.forward;
    size_t n = 0;

    make_problem(&b, o, back);
    for (const ring_step *s = ring_steps; s->name; s++)
        if (is_backward(s) == back && is_wanted(p, s->name)) {
            p->status = run_on_ranks(s, &b, &all[n], NULL);
            of[n++] = s;
        }
    if (check_step_name(p) == 0 && prints) {
        print_problem(&p->layer, 0);
        print_outcomes(of, all, n);
        if (!o->step && !back && all[RING].sent > 0)
            print_comparison(&all[GATHER], &all[RING]);
        puts("");
        next_step("make test-ring\nthen: open docs/ring.md");
    }
    backward_free(&b);
    return p->status;
}

/* --- The program ---------------------------------------------------------- */

static bool take_backward(int *argc, char **argv)
{
    bool found = false;
    int n = 1;

    for (int k = 1; k < *argc; k++)
        if (strcmp(argv[k], "--backward") == 0)
            found = true;
        else
            argv[n++] = argv[k];
    *argc = n;
    return found;
}

int main(int argc, char **argv)
{
    const char about[] =
        "Chapter 06 on many machines: attention over the ranks of MPI.\n"
        "(--backward: the gradients)";
    lesson_options o;
    int r, status;
    bool back;

    setenv("NO_COLOR", "1", 0); /* mpirun gives each rank a terminal */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    if (r != 0 && (!freopen("/dev/null", "w", stdout) ||
                   !freopen("/dev/null", "w", stderr)))
        MPI_Abort(MPI_COMM_WORLD, 1); /* only rank 0 prints */
    back = take_backward(&argc, argv);
    if (options_read(&o, about, "causal n nk d seed step", argc, argv,
                     &status)) {
        o.causal = o.causal || argc == 1; /* so that zigzag helps */
        status = run(&o, back, r == 0);
    }
    MPI_Finalize();
    return report_end(status);
}
