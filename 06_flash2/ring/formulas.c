/*
 * The floats that each step sends and holds, by formula (steps.h), for any N, P
 * and share. Shares differ by a row or two. If P divides N and dv = d, a share
 * has N / P rows, and the formulas become those in brackets.
 */
#include "06_flash2/ring/steps.h"

/* A rank sends all shares except that of the next rank, which the next rank has
 * already: P - 1 shares [2 (P - 1) (N / P) Hk d]. */
static size_t round_the_ring(const ring_problem *p, owner_rule *owns, size_t P,
                             size_t r)
{
    size_t next = share_of(owns, p->Nk, P, (r + 1) % P).n;

    return p->Hk * (p->d + p->dv) * (p->Nk - next);
}

/* Keys and values of the largest share. */
static size_t keys_held(const ring_problem *p, owner_rule *owns, size_t P)
{
    return p->Hk * largest_share(owns, p->Nk, P) * (p->d + p->dv);
}

/* The rank's own Q, K, V and result. */
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

/* K and V as in ring; and if there are several ranks, dK and dV of every share
 * once, because each returns to its owner
 * [2 (P - 1) (N / P) Hk d + 2 N Hk d]. */
static size_t sent_backward(const ring_problem *p, owner_rule *owns, size_t P,
                            size_t r)
{
    size_t home = P > 1 ? p->Hk * (p->d + p->dv) * p->Nk : 0;

    return round_the_ring(p, owns, P, r) + home;
}

/* dO and dQ; dK and dV; K, V, dK and dV of a received share; a part of dQ. */
static size_t held_backward(const ring_problem *p, owner_rule *owns, size_t P,
                            size_t r)
{
    size_t q = share_of(owns, p->Nq, P, r).n;

    return own_held(p, owns, P, r) + p->Hq * q * (p->d + p->dv) +
           3 * keys_held(p, owns, P) + q * p->d;
}

const ring_step ring_steps[] = {
    {"gather", "every rank collects all of K and V, then attends", gather,
     neighbours, round_the_ring, held_by_gather},
    {"ring", "K and V go round while every rank attends", ring, neighbours,
     round_the_ring, held_by_ring},
    {"zigzag", "the same, each rank with an early and a late chunk", zigzag,
     folded, round_the_ring, held_by_ring},
    {"ring_backward", "dK and dV go round with K and V, and go home",
     ring_backward, neighbours, sent_backward, held_backward},
    {"zigzag_backward", "the same, each rank with an early and a late chunk",
     ring_backward, folded, sent_backward, held_backward},
    {.name = NULL},
};
