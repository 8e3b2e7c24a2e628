/*
 * The table of steps, and the numbers of floats that a rank sends and stores.
 * If P divides N and dv = d, the formulas are those in brackets.
 */
#include "06_flash2/ring/steps.h"

/* A rank sends P - 1 shares of K and V: all except the next rank's own share
 * [2 (P - 1) (N / P) Hk d]. */
static size_t sent_forward(const ring_problem *p, owner_rule *owns, size_t P,
                           size_t r)
{
    size_t next = share_of(owns, p->Nk, P, (r + 1) % P).n;

    return p->Hk * (p->d + p->dv) * (p->Nk - next);
}

static size_t keys_held(const ring_problem *p, owner_rule *owns, size_t P)
{
    return p->Hk * largest_share(owns, p->Nk, P) * (p->d + p->dv);
}

static size_t own_held(const ring_problem *p, owner_rule *owns, size_t P,
                       size_t r)
{
    size_t queries = p->Hq * share_of(owns, p->Nq, P, r).n;

    return queries * (p->d + p->dv + 2) + keys_held(p, owns, P);
}

static size_t held_by_gather(const ring_problem *p, owner_rule *owns, size_t P,
                             size_t r)
{
    return own_held(p, owns, P, r) + p->Hk * p->Nk * (p->d + p->dv);
}

static size_t held_by_ring(const ring_problem *p, owner_rule *owns, size_t P,
                           size_t r)
{
    return own_held(p, owns, P, r) + keys_held(p, owns, P);
}

/* With several ranks each rank also sends dK and dV of every share once
 * [2 (P - 1) (N / P) Hk d + 2 N Hk d]. */
static size_t sent_backward(const ring_problem *p, owner_rule *owns, size_t P,
                            size_t r)
{
    size_t dK_dV = P > 1 ? p->Hk * (p->d + p->dv) * p->Nk : 0;

    return sent_forward(p, owns, P, r) + dK_dV;
}

/* A rank also stores dO, dQ, dK and dV. It has buffers for K, V, dK and dV of a
 * received share, and for a part of dQ. */
static size_t held_backward(const ring_problem *p, owner_rule *owns, size_t P,
                            size_t r)
{
    size_t q = share_of(owns, p->Nq, P, r).n;

    return own_held(p, owns, P, r) + p->Hq * q * (p->d + p->dv) +
           3 * keys_held(p, owns, P) + q * p->d;
}

const ring_step ring_steps[] = {
    {"gather", "every rank collects all of K and V, then attends", gather,
     neighbours, sent_forward, held_by_gather},
    {"ring", "ranks pass K and V on while they attend", ring, neighbours,
     sent_forward, held_by_ring},
    {"zigzag", "the same, each rank with an early and a late chunk", zigzag,
     folded, sent_forward, held_by_ring},
    {"ring_backward", "dK and dV are passed on with K and V, to their owner",
     ring_backward, neighbours, sent_backward, held_backward},
    {"zigzag_backward", "the same, each rank with an early and a late chunk",
     ring_backward, folded, sent_backward, held_backward},
    {.name = NULL},
};
