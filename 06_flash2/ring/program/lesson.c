/*
 * The lesson: all five steps over the ranks at hand (lesson.h).
 */
#include "06_flash2/ring/program/lesson.h"

#include "06_flash2/ring/together.h"
#include "common/print/report.h"

static bool speaks(MPI_Comm comm)
{
    int r;

    MPI_Comm_rank(comm, &r);
    return r == 0;
}

static size_t ranks_of(MPI_Comm comm)
{
    int P;

    MPI_Comm_size(comm, &P);
    return (size_t)P;
}

/* The last query's times are too short to say anything. */
static void table_head(table *t, bool timed)
{
    table_row(t,
              "step|bytes sent, by formula|counted|floats held|balance|"
              "error%s",
              timed ? "|time" : "");
}

static void table_line(table *t, bool timed, const ring_step *step,
                       const outcome *o)
{
    table_row(t, "%s|%s|%s%s|%s|%.3f|%s%s%s", step->name,
              count_text(o->sent_formula).text, count_text(o->sent).text,
              o->equal ? "" : " (DIFFERS)", count_text(o->held).text,
              o->balance, error_text(o->error).text, timed ? "|" : "",
              timed ? time_text(o->seconds).text : "");
}

/* Is each rank a host of its own? Then what its network card sent is worth
 * saying. */
static bool on_many_hosts(MPI_Comm comm)
{
    MPI_Comm beside;
    int together, most;

    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &beside);
    MPI_Comm_size(beside, &together);
    MPI_Comm_free(&beside);
    MPI_Allreduce(&together, &most, 1, MPI_INT, MPI_MAX, comm);
    return most == 1 && ranks_of(comm) > 1;
}

void say_one(MPI_Comm comm, const ring_step *step, const outcome *found)
{
    table t = {.used = 0};
    bool hosts = on_many_hosts(comm);

    if (!speaks(comm))
        return;
    table_head(&t, true);
    table_line(&t, true, step, found);
    table_print(&t);
    if (hosts)
        printf("the network card sent %s bytes\n",
               count_text((size_t)found->interface).text);
}

/* Each step that can run, into the table. */
static int run_all(MPI_Comm comm, const source *s, const ring_problem *p,
                   bool timed, table *t, outcome found[])
{
    for (size_t k = 0; ring_steps[k].name; k++) {
        const ring_step *step = &ring_steps[k];
        char line[200];
        rank me;

        if (refused(step, p, ranks_of(comm), line)) {
            table_row(t, "%s|-|-|-|-|-%s", step->name, timed ? "|-" : "");
            continue;
        }
        if (measure(&me, comm, p, step, s, &found[k]) != 0)
            return 1;
        rank_end(&me);
        table_line(t, timed, step, &found[k]);
    }
    return 0;
}

enum { GATHER, RING, ZIGZAG, ULYSSES, TREE, STEPS };

static void about_many(const ring_problem *p, size_t P, const outcome o[])
{
    char line[200];

    prose("Each rank owns 1/%zu of the rows, and whatever it lacks comes in "
          "messages. gather and ring send the same, for both pass every chunk "
          "of K and V to every rank; but ring forgets a chunk when it has seen "
          "it, and holds %.0f%% of what gather holds.",
          P, 100 * (double)o[RING].held / (double)o[GATHER].held);
    if (p->causal)
        prose("Balance: the average rank's work over the slowest one's. With "
              "neighbouring rows the last rank sees nearly all keys and the "
              "first one few (formula: %.3f if %zu divided N); zigzag gives "
              "each rank an early and a late chunk.",
              balance_of_neighbours(p->Nq, P), P);
    if (refused(&ring_steps[ULYSSES], p, P, line))
        prose("Left out: %s.", line);
    else
        prose("ulysses sends %.0f%% of ring's bytes, and with twice the ranks "
              "each sends about half of that; but P can't exceed the number of "
              "key heads.",
              100 * (double)o[ULYSSES].sent / (double)o[RING].sent);
}

static void about_one(const outcome o[])
{
    prose(
        "That is a model that writes: one new query, and all keys. tree sends "
        "%s bytes, and would send as many for a million keys, while ring "
        "carries all of K and V past one query: %.0f times as much.",
        count_text(o[TREE].sent).text,
        (double)o[RING].sent / (double)o[TREE].sent);
}

int lesson(MPI_Comm comm, const source *s, const ring_problem *p)
{
    size_t P = ranks_of(comm);
    table many = {.used = 0}, one = {.used = 0};
    outcome found[STEPS] = {{0}}, last[STEPS] = {{0}};
    ring_problem causal = *p, decode;
    source end = *s;

    if (!p->causal && p->Nq == p->Nk) {
        causal.causal = true; /* the lesson is about that */
        causal.offset = 0;
    }
    table_head(&many, true);
    if (run_all(comm, s, &causal, true, &many, found) != 0)
        return 1;
    decode = causal;
    end.skipped = p->Nq ? p->Nq - 1 : 0;
    decode.Nq = p->Nq ? 1 : 0;
    decode.offset += (long)end.skipped;
    table_head(&one, false);
    if (run_all(comm, &end, &decode, false, &one, last) != 0)
        return 1;
    if (!speaks(comm))
        return 0;

    heading("Attention over %zu rank%s", P, P == 1 ? "" : "s");
    printf("\n%zu query heads, %zu key heads, Nq = %zu, Nk = %zu, d = %zu%s\n"
           "(of the rank that sends, holds, works or waits most)\n\n",
           p->Hq, p->Hk, p->Nq, p->Nk, p->d, causal.causal ? ", causal" : "");
    table_print(&many);
    puts("");
    if (P > 1 && found[RING].sent && found[GATHER].held) {
        about_many(&causal, P, found);
        puts("");
    }
    heading("The last query alone");
    puts("");
    table_print(&one);
    puts("");
    if (last[TREE].sent)
        about_one(last);
    else
        puts("One rank sends nothing: try four.");
    puts("");
    next_step("%s", P == 4 ? "open docs/ring.md"
                           : "sh 06_flash2/ring/mpirun.sh 4 "
                             "build/06_flash2/ring/run");
    return 0;
}

int lesson_back(MPI_Comm comm, const source *s, const ring_problem *p)
{
    table t = {.used = 0};
    outcome o[STEPS];
    char line[200];
    rank me;

    if (refused(&ring_steps[RING], p, ranks_of(comm), line))
        return fail_together(comm, 2, line);
    table_row(&t, "way back|bytes sent, by formula|counted|floats held|"
                  "balance");
    for (int k = RING; k <= ZIGZAG; k++) {
        int failed = measure_backward(&me, comm, p, &ring_steps[k], s, &o[k]);

        rank_end(&me);
        if (failed)
            return 1;
        table_row(&t, "%s|%s|%s%s|%s|%.3f", ring_steps[k].name,
                  count_text(o[k].sent_formula).text,
                  count_text(o[k].sent).text, o[k].equal ? "" : " (DIFFERS)",
                  count_text(o[k].held).text, o[k].balance);
    }
    if (!speaks(comm))
        return 0;
    table_print(&t);
    puts("");
    prose("K and V go round as on the way forward; dK and dV follow them, take "
          "what each rank adds, and go one hop more: home. dQ stays.");
    next_step("make test-ring: are they float64's");
    return 0;
}

int csv_lines(MPI_Comm comm, const source *s, const ring_problem *p,
              const ring_step *only)
{
    if (speaks(comm))
        puts("step,ranks,Nq,Nk,sent_formula,sent,held_formula,held,equal,"
             "balance,error,seconds,interface");
    for (const ring_step *step = ring_steps; step->name; step++) {
        char line[200];
        outcome o;
        rank me;

        if ((only && only != step) || refused(step, p, ranks_of(comm), line))
            continue;
        if (measure(&me, comm, p, step, s, &o) != 0)
            return 1;
        rank_end(&me);
        if (speaks(comm))
            printf("%s,%zu,%zu,%zu,%zu,%zu,%zu,%zu,%d,%.6f,%.3e,%.6f,%.0f\n",
                   step->name, ranks_of(comm), p->Nq, p->Nk, o.sent_formula,
                   o.sent, o.held_formula, o.held, o.equal, o.balance, o.error,
                   o.seconds, o.interface);
    }
    return 0;
}
