#include "06_flash2/ring/on_ranks.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "06_flash2/steps.h"
#include "common/judge/reference_attention.h"

enum { ON_CHIP = 8192 };

const attention_step ring_flash2 = {.name = "flash2", .run = flash2};

bool is_backward(const ring_step *step)
{
    return step->run == ring_backward;
}

/* --- A rank's rows -------------------------------------------------------- */

/* Returns the row of the sequence that is row i of the share. */
static size_t row_in_all(share s, size_t i)
{
    return i < s.part[0].n ? s.part[0].first + i
                           : s.part[1].first + i - s.part[0].n;
}

/* Copies the share's rows of H heads. A row has cols floats in `all`; the
 * stride is that of `own`. */
static void take(float *own, size_t stride, const float *all, size_t H,
                 size_t N, share s, size_t cols)
{
    for (size_t h = 0; h < H; h++)
        for (size_t i = 0; i < s.n; i++, own += stride)
            memcpy(own, all + (h * N + row_in_all(s, i)) * cols,
                   cols * sizeof *own);
}

static void allocate(rank *me, bool back)
{
    size_t q = me->p.Hq * me->q.n, d = me->p.d, dv = me->p.dv;
    size_t k = me->p.Hk * largest_share(me->owns, me->p.Nk, me->P);

    me->Q = floats_of(me, q, d);
    me->K = floats_of(me, k, d);
    me->V = floats_of(me, k, dv);
    me->result = matrix_of(floats_of(me, q, dv + 2), q, dv + 2);
    if (back) {
        me->dO = floats_of(me, q, dv);
        me->dQ = floats_of(me, q, d);
        me->dK = floats_of(me, k, d);
        me->dV = floats_of(me, k, dv);
    }
}

static void set_up(rank *me, const ring_step *step, const backward_problem *b)
{
    const problem *p = &b->forward;
    const head h = head_at(&p->layer, 0); /* head_at clamps the offset */
    int r;

    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    *me = (rank){.comm = MPI_COMM_WORLD,
                 .P = rank_count(),
                 .r = (size_t)r,
                 .p = {.Hq = p->layer.Hq,
                       .Hk = p->layer.Hk,
                       .Nq = h.Nq,
                       .Nk = h.Nk,
                       .d = h.d,
                       .dv = h.dv,
                       .scale = h.scale,
                       .causal = h.rule.causal,
                       .offset = h.rule.offset},
                 .owns = step->owns};
    me->q = share_of(me->owns, h.Nq, me->P, me->r);
    me->k = share_of(me->owns, h.Nk, me->P, me->r);
    memory_init(&me->hbm, MEMORY_UNBOUNDED);
    memory_init(&me->chip, ON_CHIP);
    allocate(me, is_backward(step));
    if (me->hbm.error)
        return;
    take(me->Q, h.d, p->Q.data, me->p.Hq, h.Nq, me->q, h.d);
    take(me->K, h.d, p->K.data, me->p.Hk, h.Nk, me->k, h.d);
    take(me->V, h.dv, p->V.data, me->p.Hk, h.Nk, me->k, h.dv);
    if (is_backward(step)) {
        float *result = me->result.data;

        take(me->dO, h.dv, b->dO.data, me->p.Hq, h.Nq, me->q, h.dv);
        take(result + 1, h.dv + 2, p->L.data, me->p.Hq, h.Nq, me->q, 1);
        take(result + 2, h.dv + 2, p->O.data, me->p.Hq, h.Nq, me->q, h.dv);
    }
}

/* --- Errors --------------------------------------------------------------- */

/* Adds the squares of x - want to sums[0], and those of want to sums[1]. */
static void add_squares(double sums[2], const float *x, const double *want,
                        size_t n)
{
    for (size_t c = 0; c < n; c++) {
        double off = (double)x[c] - want[c];

        sums[0] += (double)x[c] == want[c] ? 0 : off * off;
        sums[1] += want[c] * want[c];
    }
}

/* Compares rows of O. In a large problem it skips most rows, to save time. If
 * out of memory, the sum is NaN. */
static void judge_rows(const rank *me, const problem *p, double sums[2])
{
    size_t dv = me->p.dv;
    double work = (double)me->p.Hq * (double)me->p.Nq * (double)me->p.Nk *
                  (double)(me->p.d + dv);
    size_t every = (size_t)(work / (1 << 28)) | 1;
    double *o = calloc(dv + 1, sizeof *o);
    bool failed = !o;

    for (size_t nth = 0; nth < me->p.Hq * me->q.n && !failed; nth += every) {
        head whole = head_at(&p->layer, nth / me->q.n);
        head query =
            head_of_queries(&whole, one(row_in_all(me->q, nth % me->q.n)));

        failed = reference_attention(&query, o, NULL);
        add_squares(sums, row(me->result, nth) + 2, o, dv);
    }
    if (failed)
        sums[0] = (double)NAN;
    free(o);
}

/* `all` is the whole gradient in float64. */
static void judge_gradient(double sums[2], const float *own, const double *all,
                           size_t H, size_t N, share s, size_t cols)
{
    for (size_t h = 0; h < H; h++)
        for (size_t i = 0; i < s.n; i++, own += cols)
            add_squares(sums, own, all + (h * N + row_in_all(s, i)) * cols,
                        cols);
}

/* Returns ||x - want|| / ||want|| over all ranks. */
static double error_of_all(const rank *me, double sums[2])
{
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, me->comm);
    return sums[0] == 0 ? 0 : sqrt(sums[0] / sums[1]);
}

/* Returns the error of O, or the largest error of a gradient. */
static double error_of_step(const rank *me, const backward_problem *b,
                            bool back)
{
    const ring_problem *p = &me->p;
    double Q[2] = {0}, K[2] = {0}, V[2] = {0}, e[3];

    if (!back) {
        judge_rows(me, &b->forward, Q);
        return error_of_all(me, Q);
    }
    if (b->known < p->Hq)
        return (double)NAN;
    judge_gradient(Q, me->dQ, b->truth_Q, p->Hq, p->Nq, me->q, p->d);
    judge_gradient(K, me->dK, b->truth_K, p->Hk, p->Nk, me->k, p->d);
    judge_gradient(V, me->dV, b->truth_V, p->Hk, p->Nk, me->k, p->dv);
    e[0] = error_of_all(me, Q);
    e[1] = error_of_all(me, K);
    e[2] = error_of_all(me, V);
    return worst_gradient_error((gradient_errors){e[0], e[1], e[2]});
}

/* True on all ranks if O and L of every rank have the bits of p->O and p->L. */
static bool has_bits_of(const rank *me, const problem *p)
{
    size_t dv = me->p.dv;
    int differs = 0;

    for (size_t nth = 0; nth < me->p.Hq * me->q.n; nth++) {
        const float *own = row(me->result, nth);
        size_t i = nth / me->q.n * me->p.Nq + row_in_all(me->q, nth % me->q.n);

        differs |= memcmp(own + 1, p->L.data + i, sizeof *own) ||
                   memcmp(own + 2, p->O.data + i * dv, dv * sizeof *own);
    }
    MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_LOR, me->comm);
    return !differs;
}

/* --- Results of all ranks ------------------------------------------------- */

static size_t most_of(floats_fn *f, const rank *me)
{
    size_t most = 0;

    for (size_t r = 0; r < me->P; r++)
        most = max_size(most, f(&me->p, me->owns, me->P, r));
    return most;
}

static outcome compare(const rank *me, const ring_step *step, size_t sent,
                       double seconds)
{
    double mine[] = {(double)sent, (double)me->hbm.extra, (double)me->pairs,
                     seconds};
    double most[4], pairs;
    int differs =
        sent != sizeof(float) * step->sent(&me->p, me->owns, me->P, me->r) ||
        me->hbm.extra != step->held(&me->p, me->owns, me->P, me->r);

    MPI_Allreduce(mine, most, 4, MPI_DOUBLE, MPI_MAX, me->comm);
    MPI_Allreduce(&mine[2], &pairs, 1, MPI_DOUBLE, MPI_SUM, me->comm);
    MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_LOR, me->comm);
    return (outcome){.sent = (size_t)most[0],
                     .formula = sizeof(float) * most_of(step->sent, me),
                     .held = (size_t)most[1],
                     .differs = differs,
                     .balance =
                         most[2] > 0 ? pairs / (double)me->P / most[2] : 1,
                     .seconds = most[3]};
}

/* Prints one line on rank 0. Returns status. */
static int fail(const rank *me, int status, const ring_step *step,
                const char *why)
{
    if (me->r == 0)
        fprintf(stderr, "%s: %s\n", step->name, why);
    return status;
}

int run_on_ranks(const ring_step *step, backward_problem *b, outcome *o,
                 bool *same)
{
    size_t sent;
    double start;
    int failed;
    rank me;

    set_up(&me, step, b);
    /* MPI's counts are ints. No message is longer than the arrays of a rank. */
    if (most_of(step->held, &me) > INT_MAX)
        failed = fail(&me, 2, step,
                      "more than 2^31 - 1 numbers per rank (more ranks, fewer "
                      "rows or fewer heads are allowed)");
    else if (out_of_memory(&me))
        failed = fail(&me, 1, step, me.hbm.message);
    else {
        MPI_Barrier(me.comm);
        sent = bytes_sent;
        start = stopwatch();
        failed = step->run(&me) ? fail(&me, 1, step, me.hbm.message) : 0;
        if (!failed) {
            *o = compare(&me, step, bytes_sent - sent, stopwatch() - start);
            o->error = error_of_step(&me, b, is_backward(step));
            if (same)
                *same = has_bits_of(&me, &b->forward);
        }
    }
    memory_reset(&me.hbm);
    memory_reset(&me.chip);
    return failed;
}
