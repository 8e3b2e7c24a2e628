/*
 * Running one step and measuring it (measure.h).
 */
#include "06_flash2/ring/program/measure.h"

#include "06_flash2/ring/program/counted.h"
#include "06_flash2/ring/program/float64.h"
#include "06_flash2/ring/program/interface.h"
#include "06_flash2/ring/together.h"
#include "common/print/report.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ON_CHIP = 8192 }; /* M, as ./run has it */

const char *too_large(const ring_step *step, const ring_problem *p, size_t P,
                      char line[200])
{
    size_t heads = p->Hq + p->Hk, cols = p->d + p->dv + 2;
    size_t rows = step->all_queries ? p->Nq : tiles(p->Nq, P) + 2;

    /* MPI counts in ints; no message is as large as this. */
    if (cols > INT_MAX || heads > (size_t)INT_MAX / cols ||
        rows + tiles(p->Nk, P) + 2 > (size_t)INT_MAX / cols / (heads + 1)) {
        snprintf(line, 200,
                 "%s: more than 2^31 - 1 numbers per rank (more ranks, fewer "
                 "rows or fewer heads are allowed)",
                 step->name);
        return line;
    }
    return NULL;
}

const char *refused(const ring_step *step, const ring_problem *p, size_t P,
                    char line[200])
{
    if (!step->needs_heads || p->Hk % P == 0)
        return too_large(step, p, P, line);
    snprintf(line, 200,
             "%s: %zu ranks cannot share %zu key heads (a number of ranks that "
             "divides them is allowed)",
             step->name, P, p->Hk);
    return line;
}

static int set_up(rank *me, MPI_Comm comm, const ring_problem *p,
                  const ring_step *step, const source *s)
{
    char line[80];
    size_t k;
    int r, P, failed;

    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &P);
    *me = (rank){.comm = comm, .P = (size_t)P, .r = (size_t)r, .p = *p};
    me->owns = step->owns;
    me->q = step->all_queries ? everything(p->Nq)
                              : share_of(me->owns, p->Nq, me->P, me->r);
    me->k = share_of(me->owns, p->Nk, me->P, me->r);
    memory_init(&me->hbm, MEMORY_UNBOUNDED);
    memory_init(&me->chip, ON_CHIP);

    k = p->Hk * largest_share(me->owns, p->Nk, me->P);
    me->Q = floats_of(me, p->Hq * me->q.n, p->d);
    me->K = floats_of(me, k, p->d);
    me->V = floats_of(me, k, p->dv);
    me->result = matrix_of(floats_of(me, p->Hq * me->q.n, p->dv + 2),
                           p->Hq * me->q.n, p->dv + 2);
    if (out_of_memory(me))
        return 1;
    failed = share_read(s, OF_Q, me->q, me->Q) ||
             share_read(s, OF_K, me->k, me->K) ||
             share_read(s, OF_V, me->k, me->V);
    snprintf(line, sizeof line, "rank %d: cannot read its rows", r);
    return fail_together(comm, failed, line);
}

void rank_end(rank *me)
{
    memory_reset(&me->hbm);
    memory_reset(&me->chip);
}

static double largest(MPI_Comm comm, double mine)
{
    double most;

    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    return most;
}

static double balance_of(const rank *me)
{
    double pairs = (double)me->pairs, all, most = largest(me->comm, pairs);

    MPI_Allreduce(&pairs, &all, 1, MPI_DOUBLE, MPI_SUM, me->comm);
    return most > 0 ? all / (double)me->P / most : 1;
}

/* What the rank has sent and holds beside the formulas, and the balance. */
static void compare(const rank *me, size_t sent, const ring_step *step,
                    bool back, outcome *found)
{
    const ring_problem *p = &me->p;
    int equal = 0;

    for (size_t r = 0; r < me->P; r++) {
        size_t bytes =
            sizeof(float) * (back ? sent_backward(p, step->owns, me->P, r)
                                  : step->sent(p, me->P, r));
        size_t floats = back ? held_backward(p, step->owns, me->P, r)
                             : step->held(p, me->P, r);

        if (r == me->r)
            equal = sent == bytes && me->hbm.extra == floats;
        if (bytes > found->sent_formula)
            found->sent_formula = bytes;
        if (floats > found->held_formula)
            found->held_formula = floats;
    }
    MPI_Allreduce(MPI_IN_PLACE, &equal, 1, MPI_INT, MPI_LAND, me->comm);
    found->equal = equal;
    found->sent = (size_t)largest(me->comm, (double)sent);
    found->held = (size_t)largest(me->comm, (double)me->hbm.extra);
    found->balance = balance_of(me);
}

int measure(rank *me, MPI_Comm comm, const ring_problem *p,
            const ring_step *step, const source *s, outcome *found)
{
    size_t sent = counted.sent, bytes_read = counted.read;
    double start, wire;

    memset(found, 0, sizeof *found);
    if (set_up(me, comm, p, step, s) != 0)
        return 1;
    MPI_Barrier(comm);
    wire = interface_sent();
    start = stopwatch();
    if (step->run(me) != 0)
        return 1;
    found->seconds = largest(comm, stopwatch() - start);
    found->interface = largest(comm, interface_sent() - wire);

    found->read = counted.read - bytes_read;
    compare(me, counted.sent - sent, step, false, found);
    found->error = error_of_ranks(me, s);
    return 0;
}

/* --- The way back --------------------------------------------------------- */

source rows_of_dO(const source *s, const ring_problem *p)
{
    return (source){.random = true,
                    .seed = s->seed + 1,
                    .B = 1,
                    .heads = {p->Hq, p->Hk, p->Hk},
                    .N = {p->Nq, p->Nk, p->Nk},
                    .cols = {p->dv, p->d, p->dv},
                    .skipped = s->skipped};
}

/* Arrays for the gradients; and K and V at home again, and dO. */
static int set_up_back(rank *me, const source *s)
{
    const source dO = rows_of_dO(s, &me->p);
    size_t q = me->p.Hq * me->q.n;
    size_t k = me->p.Hk * largest_share(me->owns, me->p.Nk, me->P);
    char line[80];

    me->dO = floats_of(me, q, me->p.dv);
    me->dQ = floats_of(me, q, me->p.d);
    me->dK = floats_of(me, k, me->p.d);
    me->dV = floats_of(me, k, me->p.dv);
    if (out_of_memory(me))
        return 1;
    snprintf(line, sizeof line, "rank %zu: cannot read its rows", me->r);
    return fail_together(me->comm,
                         share_read(s, OF_K, me->k, me->K) ||
                             share_read(s, OF_V, me->k, me->V) ||
                             share_read(&dO, OF_Q, me->q, me->dO),
                         line);
}

int measure_backward(rank *me, MPI_Comm comm, const ring_problem *p,
                     const ring_step *step, const source *s, outcome *found)
{
    size_t sent;

    if (measure(me, comm, p, step, s, found) != 0 || set_up_back(me, s) != 0)
        return 1;
    memset(found, 0, sizeof *found);
    me->pairs = 0;
    sent = counted.sent;
    if (ring_backward(me) != 0)
        return 1;
    compare(me, counted.sent - sent, step, true, found);
    return 0;
}
