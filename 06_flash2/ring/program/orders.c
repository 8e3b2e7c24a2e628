/*
 * Orders, and rows on their way to ranks and back (orders.h).
 */
#define _POSIX_C_SOURCE 200809L

#include "06_flash2/ring/program/orders.h"

#include "06_flash2/ring/messages.h"
#include "06_flash2/steps.h"
#include "common/layer.h"
#include "common/print/report.h"

#include <limits.h>
#include <string.h>
#include <time.h>

enum { ON_CHIP = 8192, STEPS = 16, STOP = STEPS };

typedef struct {
    size_t step; /* of ring_steps, or STOP */
    int status;  /* at the stop: the exit code */
    ring_problem p;
} order;

static bool goes_back(const ring_step *step)
{
    return step->run == ring_backward;
}

/* --- Rows between rank 0 and their owners ---------------------------------- */

typedef enum { STAYS, DEALT, HOME } journey;

/* Rows of all heads: where rank 0 has all of them, and where a rank has its
 * own: the first `width` of `stride` floats. */
typedef struct {
    float *all, *own;
    bool keys; /* as many as Nk, of Hk heads; else Nq, of Hq */
    size_t width, stride;
    journey forward, back;
} rows;

static void move(const rank *me, const rows *a, journey goes)
{
    const ring_problem *p = &me->p;
    size_t N = a->keys ? p->Nk : p->Nq, H = a->keys ? p->Hk : p->Hq;
    bool all_have_all = !a->keys && me->all_queries, home = goes == HOME;
    size_t owners = home && all_have_all ? 1 : me->P;

    for (size_t r = 0; r < owners; r++) {
        share s =
            all_have_all ? everything(N) : share_of(me->owns, N, me->P, r);
        size_t giver = home ? r : 0, taker = home ? 0 : r, before = 0;

        for (size_t half = 0; half < 2 && (me->r == 0 || me->r == r); half++) {
            chunk c = s.part[half];
            piece far = rows_at(me->r ? a->own : a->all + c.first * a->width, H,
                                c.n, N, a->width, a->width);
            piece near = rows_at(a->own + before * a->stride, H, c.n, s.n,
                                 a->width, a->stride);

            exchange(me, home ? near : far, me->r == giver ? taker : NOBODY,
                     home ? far : near, me->r == taker ? giver : NOBODY);
            before += c.n;
        }
    }
}

static void move_all(const rank *me, const gradients *g, bool back,
                     journey goes)
{
    size_t d = me->p.d, dv = me->p.dv;
    float *result = me->result.data;
    const rows all[] = {
        {g->h.Q.hbm.data, me->Q, false, d, d, DEALT, DEALT},
        {g->h.K.hbm.data, me->K, true, d, d, DEALT, DEALT},
        {g->h.V.hbm.data, me->V, true, dv, dv, DEALT, DEALT},
        {g->h.L.hbm.data, result + 1, false, 1, dv + 2, HOME, DEALT},
        {g->h.O.hbm.data, result + 2, false, dv, dv + 2, HOME, DEALT},
        {g->dO.hbm.data, me->dO, false, dv, dv, STAYS, DEALT},
        {g->dQ.hbm.data, me->dQ, false, d, d, STAYS, HOME},
        {g->dK.hbm.data, me->dK, true, d, d, STAYS, HOME},
        {g->dV.hbm.data, me->dV, true, dv, dv, STAYS, HOME},
    };

    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        if ((back ? all[k].back : all[k].forward) == goes)
            move(me, &all[k], goes);
}

/* --- A rank's part --------------------------------------------------------- */

static void set_up(rank *me, const order *o)
{
    const ring_step *step = &ring_steps[o->step];
    const ring_problem *p = &o->p;
    size_t q, k;
    int r;

    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    *me = (rank){.comm = MPI_COMM_WORLD,
                 .P = rank_count(),
                 .r = (size_t)r,
                 .p = *p,
                 .owns = step->owns,
                 .all_queries = step->all_queries};
    me->q = me->all_queries ? everything(p->Nq)
                            : share_of(me->owns, p->Nq, me->P, me->r);
    me->k = share_of(me->owns, p->Nk, me->P, me->r);
    memory_init(&me->hbm, MEMORY_UNBOUNDED);
    memory_init(&me->chip, ON_CHIP);

    q = p->Hq * me->q.n;
    k = p->Hk * largest_share(me->owns, p->Nk, me->P);
    me->Q = floats_of(me, q, p->d);
    me->K = floats_of(me, k, p->d);
    me->V = floats_of(me, k, p->dv);
    me->result = matrix_of(floats_of(me, q, p->dv + 2), q, p->dv + 2);
    if (goes_back(step)) {
        me->dO = floats_of(me, q, p->dv);
        me->dQ = floats_of(me, q, p->d);
        me->dK = floats_of(me, k, p->d);
        me->dV = floats_of(me, k, p->dv);
    }
}

static size_t most_of(floats_fn *f, const ring_problem *p, owner_rule *owns)
{
    size_t most = 0, P = rank_count();

    for (size_t r = 0; r < P; r++)
        most = max_size(most, f(p, owns, P, r));
    return most;
}

/* What all ranks have sent, held and worked, beside the formulas. */
static outcome compare(const rank *me, const order *o, size_t sent,
                       double seconds)
{
    const ring_step *step = &ring_steps[o->step];
    double mine[] = {(double)sent, (double)me->hbm.extra, (double)me->pairs,
                     seconds};
    double most[4], pairs;
    int differs =
        sent != sizeof(float) * step->sent(&me->p, me->owns, me->P, me->r) ||
        me->hbm.extra != step->held(&me->p, me->owns, me->P, me->r);

    MPI_Allreduce(mine, most, 4, MPI_DOUBLE, MPI_MAX, me->comm);
    MPI_Allreduce(&mine[2], &pairs, 1, MPI_DOUBLE, MPI_SUM, me->comm);
    MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_LOR, me->comm);
    return (outcome){
        .sent_formula = sizeof(float) * most_of(step->sent, &me->p, me->owns),
        .sent = (size_t)most[0],
        .held = (size_t)most[1],
        .differs = differs,
        .balance = most[2] > 0 ? pairs / (double)me->P / most[2] : 1,
        .seconds = most[3],
    };
}

/* all: of rank 0 the whole arrays, of others nothing. Returns 0, or on all
 * ranks 1 if one had no memory, and why. */
static int take_part(const order *o, const gradients *all, outcome *found,
                     char why[])
{
    const ring_step *step = &ring_steps[o->step];
    size_t sent = 0;
    double start = 0;
    rank me;
    int failed;

    set_up(&me, o);
    failed = out_of_memory(&me);
    if (!failed) {
        move_all(&me, all, goes_back(step), DEALT);
        MPI_Barrier(me.comm);
        sent = bytes_sent;
        start = stopwatch();
        failed = step->run(&me);
    }
    if (failed)
        memcpy(why, me.hbm.message, sizeof me.hbm.message);
    else {
        *found = compare(&me, o, bytes_sent - sent, stopwatch() - start);
        move_all(&me, all, goes_back(step), HOME);
    }
    memory_reset(&me.hbm);
    memory_reset(&me.chip);
    return failed;
}

/* --- Orders ---------------------------------------------------------------- */

/* From rank 0 to all. Who waits for it sleeps, for rank 0 is at work. */
static void pass_on(order *o)
{
    const struct timespec nap = {.tv_nsec = 200 * 1000};
    MPI_Request request;
    int here = 0;

    MPI_Ibcast(o, sizeof *o, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &here, MPI_STATUS_IGNORE); !here;
         MPI_Test(&request, &here, MPI_STATUS_IGNORE))
        nanosleep(&nap, NULL);
}

static ring_problem problem_of(const head *h, size_t Hq, size_t Hk)
{
    return (ring_problem){.Hq = Hq,
                          .Hk = Hk,
                          .Nq = h->Nq,
                          .Nk = h->Nk,
                          .d = h->d,
                          .dv = h->dv,
                          .scale = h->scale,
                          .causal = h->rule.causal,
                          .offset = h->rule.offset};
}

static size_t index_of(const char *name)
{
    size_t k = 0;

    while (strcmp(ring_steps[k].name, name) != 0)
        k++;
    return k;
}

static outcome outcomes[STEPS];

const outcome *outcome_of(const char *step)
{
    return &outcomes[index_of(step)];
}

/* Rank 0's word to all, that step on heads like this one; it has their arrays.
 */
static int give(const char *name, const gradients *all, size_t Hq, size_t Hk,
                memory *mem)
{
    order o = {.step = index_of(name), .p = problem_of(&all->h, Hq, Hk)};
    const ring_step *step = &ring_steps[o.step];
    outcome *found = &outcomes[o.step];

    o.p.partials = step->partials;
    /* MPI counts in ints; no message is as large as this. */
    if (most_of(step->held, &o.p, step->owns) > INT_MAX) {
        snprintf(mem->message, sizeof mem->message,
                 "more than 2^31 - 1 numbers per rank (more ranks, fewer rows "
                 "or fewer heads are allowed)");
        return mem->error = MEMORY_REFUSED;
    }
    pass_on(&o);
    if (take_part(&o, all, found, mem->message) != 0)
        return mem->error = MEMORY_FULL;
    mem->counts.written[ALGORITHM] += found->sent / sizeof(float);
    mem->extra = found->held;
    return 0;
}

int run_ranks(int argc, char **argv, int (*program)(int argc, char **argv))
{
    order o = {.step = STOP};
    outcome mine;
    char why[160];
    int r;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    if (r == 0) {
        o.status = program(argc, argv);
        pass_on(&o);
    } else
        for (pass_on(&o); o.step != STOP; pass_on(&o))
            take_part(&o, &(gradients){.add = false}, &mine, why);
    MPI_Finalize();
    return o.status;
}

/* --- As steps -------------------------------------------------------------- */

static int attend_on_ranks(const attention_step *step, const layer *l,
                           memory *mem)
{
    gradients all = {.h = head_at(l, 0)}; /* of an offset that cannot wrap */

    return give(step->name, &all, l->B * l->Hq, l->B * l->Hk, mem);
}

static counts traffic_of_ranks(const attention_step *step, const layer *l)
{
    const ring_step *s = &ring_steps[index_of(step->name)];
    ring_problem p = problem_of(&l->each, l->B * l->Hq, l->B * l->Hk);

    return (counts){.written[ALGORITHM] = most_of(s->sent, &p, s->owns)};
}

static int go_back_on_ranks(const attention_step *step, const gradients heads[],
                            size_t n, memory *mem)
{
    size_t Hk = 0;

    for (size_t k = 0; k < n; k++)
        Hk += !heads[k].add; /* the first of those that share keys */
    return give(step->name, heads, n, Hk, mem);
}

/* What leaves O and L for the backward pass. */
static const attention_step ring_flash2 = {.run = flash2};

void steps_on_ranks(attention_step own[], attention_step narrow[],
                    attention_step back[])
{
    for (const ring_step *s = ring_steps; s->name; s++)
        if (goes_back(s))
            *back++ = (attention_step){.name = s->name,
                                       .idea = s->idea,
                                       .back_heads = go_back_on_ranks,
                                       .forward = &ring_flash2,
                                       .products = 5};
        else
            *(s->partials == FP32 ? own++ : narrow++) =
                (attention_step){.name = s->name,
                                 .idea = s->idea,
                                 .run_layer = attend_on_ranks,
                                 .layer_formula = traffic_of_ranks};
}
