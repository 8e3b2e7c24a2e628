/*
 * Who works when, in rungs 8, 9 and 10? The emulator says what the first
 * thread of each warpgroup asked and waited for, in which order; this program
 * does the same again against a clock, by a data sheet: tensor cores that do
 * 4096 FLOPs a clock, 16 exponentials a clock, and loads of 40 bytes a clock,
 * which is assumed. Everything else takes no time. Who asks at the same time
 * shares, and a warpgroup's products are taken up one after another: assumed,
 * too. So what comes out is what waiting alone costs, and nothing measured.
 *
 *     make lab-timeline
 *
 * Lines: box, rung, loads | products | softmax, which consumer, label, from,
 * to (clocks) | busy, rung, percent of the time that the tensor cores work.
 * With an argument also: event, rung, clock, warpgroup, and what the trace says
 * that it did then: what, of which barrier, number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/problem/random.h"
#include "common/print/outside.h"
#include "common/print/report.h"

#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/steps.h"

/* A tile of queries, and 4 of 128 keys, the last behind a causal limit: then all
 * three rungs have tiles of that size. */
enum { N_Q = 128, N_K = 640, SEEN = 512, D = 128 };
enum { ACTORS = 4, BARRIERS = 24, JOBS = 256 };
enum { LOADS, PRODUCTS, SOFTMAX, KINDS };

static bool tells_events;

static const char *const kind_name[] = {"loads", "products", "softmax"};

/* A line of the trace. */
typedef struct {
    char what[16], name[24];
    long n;
} event;

/* Something that takes time; those of one kind and actor come in turn. */
typedef struct {
    double left, began; /* clocks */
    char label[4];
    int barrier; /* of a load */
    long bytes;
} job;

typedef struct {
    job jobs[JOBS];
    size_t first, end;
} queue;

typedef struct {
    char name[24];
    long count, arrived, bytes, phase;
} barrier;

typedef struct {
    event *events;
    size_t n, at;
    double flops; /* of products asked for and not yet committed */
    char label[4];
    bool came; /* to the barrier at which it waits */
} actor;

typedef struct {
    const char *name; /* of the rung */
    actor actors[ACTORS];
    queue queues[KINDS][ACTORS];
    barrier barriers[BARRIERS];
    long opened[16], came[16]; /* bar.sync: how often, how many threads */
    long seen[ACTORS];         /* what an actor waits to see change */
    int synced, living;        /* __syncthreads */
    long syncs;
    double now, busy, first, last; /* of products */
} replay;

/* --- Jobs ----------------------------------------------------------------- */

static job *add_job(replay *r, int kind, int who, double clocks,
                    const char *label)
{
    queue *q = &r->queues[kind][who];
    job *j = &q->jobs[q->end++ % JOBS];

    *j = (job){.left = clocks, .began = -1};
    snprintf(j->label, sizeof j->label, "%s", label);
    return j;
}

static size_t pending(const replay *r, int kind, int who)
{
    return r->queues[kind][who].end - r->queues[kind][who].first;
}

static void end_job(replay *r, int kind, int who)
{
    queue *q = &r->queues[kind][who];
    job *j = &q->jobs[q->first++ % JOBS];

    printf("box\t%s\t%s\t%c\t%s\t%.0f\t%.0f\n", r->name, kind_name[kind],
           kind == LOADS ? '-' : "AB"[who - r->living + 2], j -> label,
           j -> began, r -> now);
    if (kind == LOADS)
        r->barriers[j->barrier].bytes -= j->bytes;
    if (kind == PRODUCTS)
        r->last = r->now;
}

/* Until the next job ends; who works at the same time shares equally. Returns
 * false if there is none. */
static bool advance(replay *r)
{
    double step = -1;
    int users[KINDS] = {0};

    for (int k = 0; k < KINDS; k++)
        for (int a = 0; a < ACTORS; a++)
            users[k] += pending(r, k, a) > 0;
    for (int k = 0; k < KINDS; k++)
        for (int a = 0; a < ACTORS; a++)
            if (pending(r, k, a)) {
                queue *q = &r->queues[k][a];
                job *j = &q->jobs[q->first % JOBS];

                if (j->began < 0)
                    j->began = r->now;
                if (step < 0 || j->left * users[k] < step)
                    step = j->left * users[k];
            }
    if (step < 0)
        return false;
    if (users[PRODUCTS] && r->first < 0)
        r->first = r->now;
    r->busy += users[PRODUCTS] ? step : 0;
    r->now += step;
    for (int k = 0; k < KINDS; k++)
        for (int a = 0; a < ACTORS; a++)
            if (pending(r, k, a)) {
                queue *q = &r->queues[k][a];
                job *j = &q->jobs[q->first % JOBS];

                j->left -= step / users[k];
                if (j->left < 1e-6)
                    end_job(r, k, a);
            }
    return true;
}

/* --- Events --------------------------------------------------------------- */

static int barrier_named(replay *r, const char *name)
{
    int b = 0;

    while (b < BARRIERS - 1 && r->barriers[b].name[0] &&
           strcmp(r->barriers[b].name, name) != 0)
        b++;
    snprintf(r->barriers[b].name, sizeof r->barriers[b].name, "%s", name);
    return b;
}

static void end_phases(replay *r)
{
    for (int k = 0; k < BARRIERS; k++) {
        barrier *b = &r->barriers[k];

        if (b->count && b->arrived == b->count && b->bytes == 0) {
            b->phase++;
            b->arrived = 0;
        }
    }
}

/* Has a barrier opened since this actor came to it? opened: how often. */
static bool let_go(replay *r, int who, long opened)
{
    r->actors[who].came = r->seen[who] == opened;
    return !r->actors[who].came;
}

static void open_named(replay *r, const event *e)
{
    int id = atoi(e->name);

    r->came[id] += 128; /* the others of its warpgroup do the same */
    if (r->came[id] == e->n) {
        r->came[id] = 0;
        r->opened[id]++;
    }
}

/* Returns false if the actor must wait; its event then comes again. */
static bool act(replay *r, int who)
{
    actor *a = &r->actors[who];
    const event *e = &a->events[a->at];
    int b;

    if (!strcmp(e->what, "init")) {
        r->barriers[barrier_named(r, e->name)].count = e->n;
    } else if (!strcmp(e->what, "arrive")) {
        b = barrier_named(r, e->name);
        r->barriers[b].arrived++;
        r->barriers[b].bytes += e->n;
    } else if (!strcmp(e->what, "load")) {
        /* What is loaded: "K_full[0]"; in rung 8 "full[0]", for both. */
        char label[2] = {e->name[0] == 'f' ? 'T' : (char)(e->name[0] & ~32)};
        job *j = add_job(r, LOADS, who, (double)e->n / 40, label);

        j->barrier = barrier_named(r, e->name);
        j->bytes = e->n;
    } else if (!strcmp(e->what, "wait")) {
        b = barrier_named(r, e->name);
        if (((r->barriers[b].phase - 1) & 1) != e->n)
            return false;
    } else if (!strcmp(e->what, "wgmma")) {
        a->flops += 2.0 * 64 * 16 * (double)e->n;
        snprintf(a->label, sizeof a->label, "%c%c", e->name[0], e->name[2]);
    } else if (!strcmp(e->what, "commit")) {
        if (pending(r, PRODUCTS, who))
            return false;
        add_job(r, PRODUCTS, who, a->flops / 4096, a->label);
        a->flops = 0;
    } else if (!strcmp(e->what, "wgmma_wait")) {
        if (pending(r, PRODUCTS, who) > (size_t)e->n)
            return false;
    } else if (!strcmp(e->what, "exp")) {
        if (!a->came) {
            size_t n = 0;

            while (a->at + n < a->n && !strcmp(e[n].what, "exp"))
                n++;
            add_job(r, SOFTMAX, who, 128 * (double)n / 16, "s");
            a->came = true;
            a->at += n - 1;
            return false;
        }
        if (pending(r, SOFTMAX, who))
            return false;
        a->came = false;
    } else if (!strcmp(e->what, "bar_arrive")) {
        open_named(r, e);
    } else if (!strcmp(e->what, "bar_sync")) {
        if (!a->came) {
            r->seen[who] = r->opened[atoi(e->name)];
            open_named(r, e);
        }
        return let_go(r, who, r->opened[atoi(e->name)]);
    } else if (!strcmp(e->what, "syncthreads")) {
        if (!a->came) {
            r->seen[who] = r->syncs;
            if (++r->synced == r->living) {
                r->synced = 0;
                r->syncs++;
            }
        }
        return let_go(r, who, r->syncs);
    }
    return true;
}

static void tell_event(const replay *r, int who)
{
    const event *e = &r->actors[who].events[r->actors[who].at];

    if (tells_events && strcmp(e->what, "exp") != 0)
        printf("event\t%s\t%.0f\t%d\t%s\t%s\t%ld\n", r->name, r->now, who,
               e->what, e->name, e->n);
}

/* Everybody goes on as far as he can; then time does. */
static int run(replay *r)
{
    bool again;

    r->first = -1;
    do {
        do {
            again = false;
            for (int who = 0; who < ACTORS; who++)
                while (r->actors[who].at < r->actors[who].n && act(r, who)) {
                    tell_event(r, who);
                    r->actors[who].at++;
                    end_phases(r);
                    again = true;
                }
        } while (again);
        again = advance(r);
        end_phases(r);
    } while (again);
    for (int who = 0; who < ACTORS; who++)
        if (r->actors[who].at < r->actors[who].n) {
            fprintf(stderr, "timeline: %s: nobody can go on\n", r->name);
            return 1;
        }
    printf("busy\t%s\t%.0f\n", r->name, 100 * r->busy / (r->last - r->first));
    return 0;
}

/* --- The trace ------------------------------------------------------------ */

static int read_trace(replay *r, FILE *trace)
{
    unsigned thread;
    event e;

    rewind(trace);
    while (fscanf(trace, "%u\t%15[^\t]\t%23[^\t]\t%ld\n", &thread, e.what,
                  e.name, &e.n) == 4) {
        actor *a = &r->actors[thread / 128];
        event *more = realloc(a->events, (a->n + 1) * sizeof *more);

        if (!more)
            return 1;
        a->events = more;
        a->events[a->n++] = e;
    }
    for (int who = 0; who < ACTORS; who++)
        r->living += r->actors[who].n > 0;
    return !feof(trace);
}

static int trace_rung(const rung *u, FILE *to)
{
    static float inputs[3][N_K * D], O[N_Q * D], L[N_Q];
    random_source source = random_seed(7);
    layer l = {.B = 1,
               .Hq = 1,
               .Hk = 1,
               .each = {.Nq = N_Q,
                        .Nk = N_K,
                        .d = D,
                        .dv = D,
                        .scale = 0.0884f,
                        .causal = true,
                        .offset = SEEN - N_Q}};
    memory mem;
    int error;

    layer_give(&l, inputs[0], inputs[1], inputs[2], O, L);
    random_fill(&source, &inputs[0][0], 3 * N_K * D, 1);
    memory_init(&mem, 0);
    cuda_on_cpu_trace(to);
    error = rung_layer(u, BF16, &l, &mem);
    cuda_on_cpu_trace(NULL);
    if (error)
        fprintf(stderr, "timeline: %s: %s\n", u->name, mem.message);
    return error;
}

int main(int argc, char **argv)
{
    static const int rungs[] = {RUNG_wgmma, RUNG_roles, RUNG_pingpong};
    static const char *const known[] = {"events", NULL};
    int word = word_given(argc, argv, known), failed = 0;

    if (word < 0)
        return 2;
    tells_events = word == 0;
    for (size_t k = 0; k < 3 && !failed; k++) {
        static replay r;
        FILE *trace = tmpfile();

        r = (replay){.name = ladder[rungs[k]].name};
        failed = !trace || trace_rung(&ladder[rungs[k]], trace) ||
                 read_trace(&r, trace) || run(&r);
        for (int who = 0; who < ACTORS; who++)
            free(r.actors[who].events);
        if (trace)
            fclose(trace);
    }
    return report_end(failed);
}
