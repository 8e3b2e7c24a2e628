#include "06_flash2/ring/ranks.h"

#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/scores.h"
#include "common/traffic.h"

#include <stdio.h>
#include <string.h>

size_t neighbours(size_t P, size_t r, size_t half)
{
    (void)P;
    return 2 * r + half;
}

chunk cut(size_t n, size_t parts, size_t nth)
{
    size_t first = nth * n / parts;

    return (chunk){first, (nth + 1) * n / parts - first};
}

share share_of(owner_rule *owns, size_t N, size_t P, size_t r)
{
    chunk a = cut(N, 2 * P, owns(P, r, 0)), b = cut(N, 2 * P, owns(P, r, 1));

    return (share){{a, b}, a.n + b.n};
}

share everything(size_t N)
{
    return (share){{{0, N}, {N, 0}}, N};
}

size_t largest_share(owner_rule *owns, size_t N, size_t P)
{
    size_t most = 0;

    for (size_t r = 0; r < P; r++) {
        size_t n = share_of(owns, N, P, r).n;

        most = n > most ? n : most;
    }
    return most;
}

size_t rank_count(void)
{
    int P;

    MPI_Comm_size(MPI_COMM_WORLD, &P);
    return (size_t)P;
}

float *floats_of(rank *me, size_t rows, size_t cols)
{
    return hbm_scratch(&me->hbm, rows, cols, FP32).hbm.data;
}

int out_of_memory(rank *me)
{
    int mine = (int)(me->hbm.error ? me->r : me->P), first;
    char why[sizeof me->hbm.message];

    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, me->comm);
    if (first == (int)me->P)
        return 0;
    memcpy(why, me->hbm.message, sizeof why);
    MPI_Bcast(why, sizeof why, MPI_CHAR, first, me->comm);
    snprintf(me->hbm.message, sizeof why, "rank %d: %.140s", first, why);
    return 1;
}

static size_t row_of(const rank *me, size_t nth, size_t a)
{
    return nth * me->q.n + (a ? me->q.part[0].n : 0);
}

static size_t key_row_of(const rank *me, size_t nth, share keys, size_t b)
{
    return nth / (me->p.Hq / me->p.Hk) * keys.n + (b ? keys.part[0].n : 0);
}

/* O, L, m and l are in me->result; L and l share a column. */
static head head_between(const rank *me, size_t nth, size_t a, share keys,
                         size_t b, float *K, float *V)
{
    const ring_problem *p = &me->p;
    chunk q = me->q.part[a], k = keys.part[b];
    size_t i = row_of(me, nth, a);
    size_t j = key_row_of(me, nth, keys, b);

    return (head){
        .Nq = q.n,
        .Nk = k.n,
        .d = p->d,
        .dv = p->dv,
        .Q = hbm_of(me->Q + i * p->d, q.n, p->d),
        .K = hbm_of(K + j * p->d, k.n, p->d),
        .V = hbm_of(V + j * p->dv, k.n, p->dv),
        .O.hbm = block(me->result, i, 2, q.n, p->dv),
        .L.hbm = block(me->result, i, 1, q.n, 1),
        .m.hbm = block(me->result, i, 0, q.n, 1),
        .l.hbm = block(me->result, i, 1, q.n, 1),
        .scale = p->scale,
        .rule.causal = p->causal,
        /* rows i and j of the chunks: j + k.first <= i + q.first + p->offset */
        .rule.offset = p->offset + (long)q.first - (long)k.first,
    };
}

/* An error aborts all ranks: the others would wait for messages for ever. */
static void need(rank *me, int error)
{
    if (error) {
        fprintf(stderr, "rank %zu: %s\n", me->r, me->chip.message);
        MPI_Abort(me->comm, 1);
    }
    memory_reset(&me->chip);
}

void attend_share(rank *me, share keys, float *K, float *V, int n,
                  MPI_Request messages[])
{
    int arrived;

    for (size_t nth = 0; nth < me->p.Hq; nth++) {
        for (size_t a = 0; a < 2; a++)
            for (size_t b = 0; b < 2; b++) {
                head h = head_between(me, nth, a, keys, b, K, V);

                me->pairs += pairs_seen(&h);
                need(me, attend_chunk(&h, &me->chip));
            }
        MPI_Testall(n, messages, &arrived, MPI_STATUSES_IGNORE);
    }
}

void attend_back(rank *me, share keys, float *K, float *V, float *part, int n,
                 MPI_Request messages[])
{
    size_t d = me->p.d, dv = me->p.dv;
    int arrived;

    for (size_t nth = 0; nth < me->p.Hq; nth++) {
        for (size_t a = 0; a < 2; a++)
            for (size_t b = 0; b < 2; b++) {
                head h = head_between(me, nth, a, keys, b, K, V);
                size_t i = row_of(me, nth, a);
                size_t j = key_row_of(me, nth, keys, b);
                gradients g = {.h = h,
                               .dO = hbm_of(me->dO + i * dv, h.Nq, dv),
                               .dQ = hbm_of(part, h.Nq, d),
                               .dK = hbm_of(me->dK + j * d, h.Nk, d),
                               .dV = hbm_of(me->dV + j * dv, h.Nk, dv),
                               .add = true};

                me->pairs += pairs_seen(&h);
                need(me, flash2_backward(&g, &me->chip));
                axpy(me->dQ + i * d, 1, part, h.Nq * d);
            }
        MPI_Testall(n, messages, &arrived, MPI_STATUSES_IGNORE);
    }
}

void attend_all_keys(rank *me, float *K, float *V)
{
    for (size_t nth = 0; nth < me->p.Hq; nth++)
        for (size_t a = 0; a < 2; a++) {
            head h = head_between(me, nth, a, everything(me->p.Nk), 0, K, V);

            me->pairs += pairs_seen(&h);
            need(me, flash2(&h, &me->chip));
        }
}

void begin(rank *me)
{
    fill(me->result, 0);
    fill(block(me->result, 0, 0, me->result.rows, 1), -INFINITY);
}

void finish(rank *me)
{
    for (size_t i = 0; i < me->result.rows; i++) {
        float *all = row(me->result, i);

        scale_row(all + 2, inverse(all[1]), me->p.dv);
        all[1] = all[0] + logf(all[1]); /* L */
    }
}

void begin_back(rank *me)
{
    const ring_problem *p = &me->p;
    size_t k = p->Hk * me->k.n;

    fill(matrix_of(me->dQ, p->Hq * me->q.n, p->d), 0);
    fill(matrix_of(me->dK, k, p->d), 0);
    fill(matrix_of(me->dV, k, p->dv), 0);
}
