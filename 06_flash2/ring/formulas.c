/*
 * What each step sends and holds, by formula (steps.h): in floats, for any N,
 * any P and any share. Shares differ by a row or two; where P divides N and dv
 * = d, they are N / P, and the formulas become those in brackets.
 */
#include "06_flash2/ring/steps.h"

/* Everything but the share of the next rank, which it has already: each rank
 * sends P - 1 shares [2 (P - 1) (N / P) Hk d]. */
static size_t round_the_ring(const ring_problem *p, owner_rule *owns, size_t P,
                             size_t r)
{
    size_t next = share_of(owns, p->Nk, P, (r + 1) % P).n;

    return p->Hk * (p->d + p->dv) * (p->Nk - next);
}

static size_t sent_by_neighbours(const ring_problem *p, size_t P, size_t r)
{
    return round_the_ring(p, neighbours, P, r);
}

static size_t sent_by_zigzag(const ring_problem *p, size_t P, size_t r)
{
    return round_the_ring(p, folded, P, r);
}

/* To each of the others the rows of its heads, and back the rows of O
 * [(2 Hq + 2 Hk) d (N / P) (P - 1) / P]. */
static size_t sent_by_ulysses(const ring_problem *p, size_t P, size_t r)
{
    size_t q = share_of(neighbours, p->Nq, P, r).n;
    size_t k = share_of(neighbours, p->Nk, P, r).n;
    size_t back = p->dv + (p->with_L ? 1 : 0);

    return (P - 1) * (p->Hq / P * q * p->d + p->Hk / P * k * (p->d + p->dv)) +
           p->Hq / P * (p->Nq - q) * back;
}

/* All rows but those that it merges itself; then all merged rows but those of
 * the next rank [2 (P - 1) / P Hq (dv + 2) for a query a head]. */
static size_t sent_by_tree(const ring_problem *p, size_t P, size_t r)
{
    size_t rows = p->Hq * p->Nq, mine = merged_by(rows, P, r).n;
    size_t next = merged_by(rows, P, (r + 1) % P).n;

    return (rows - mine + rows - next) * (p->dv + 2);
}

/* Q, K, V and the result, of q queries and the largest share of the keys. */
static size_t own_arrays(const ring_problem *p, owner_rule *owns, size_t P,
                         size_t q)
{
    size_t k = largest_share(owns, p->Nk, P);

    return p->Hq * q * (p->d + p->dv + 2) + p->Hk * k * (p->d + p->dv);
}

static size_t held_by_gather(const ring_problem *p, size_t P, size_t r)
{
    size_t q = share_of(neighbours, p->Nq, P, r).n;

    return own_arrays(p, neighbours, P, q) + p->Hk * p->Nk * (p->d + p->dv);
}

static size_t held_on_a_ring(const ring_problem *p, owner_rule *owns, size_t P,
                             size_t r)
{
    size_t k = largest_share(owns, p->Nk, P);

    return own_arrays(p, owns, P, share_of(owns, p->Nq, P, r).n) +
           p->Hk * k * (p->d + p->dv);
}

static size_t held_by_ring(const ring_problem *p, size_t P, size_t r)
{
    return held_on_a_ring(p, neighbours, P, r);
}

static size_t held_by_zigzag(const ring_problem *p, size_t P, size_t r)
{
    return held_on_a_ring(p, folded, P, r);
}

static size_t held_by_ulysses(const ring_problem *p, size_t P, size_t r)
{
    size_t q = share_of(neighbours, p->Nq, P, r).n;

    return own_arrays(p, neighbours, P, q) +
           p->Hq / P * p->Nq * (p->d + p->dv + 2) +
           p->Hk / P * p->Nk * (p->d + p->dv);
}

static size_t held_by_tree(const ring_problem *p, size_t P, size_t r)
{
    return own_arrays(p, neighbours, P, p->Nq) +
           merged_by(p->Hq * p->Nq, P, r).n * (p->dv + 2);
}

/* K and V as ring sends them; dK and dV of every share once, for each ends its
 * way at home, unless it has never left it
 * [2 (P - 1) (N / P) Hk d + 2 N Hk d]. */
size_t sent_backward(const ring_problem *p, owner_rule *owns, size_t P,
                     size_t r)
{
    size_t home = P > 1 ? p->Hk * (p->d + p->dv) * p->Nk : 0;

    return round_the_ring(p, owns, P, r) + home;
}

/* What ring held; dO and dQ; dK and dV; all four of a share that comes in; and
 * a part of dQ. */
size_t held_backward(const ring_problem *p, owner_rule *owns, size_t P,
                     size_t r)
{
    size_t q = share_of(owns, p->Nq, P, r).n;
    size_t k = p->Hk * largest_share(owns, p->Nk, P);

    return held_on_a_ring(p, owns, P, r) +
           (p->Hq * q + 3 * k) * (p->d + p->dv) + q * p->d;
}

double balance_of_neighbours(size_t N, size_t P)
{
    double n = (double)N, ranks = (double)P;

    return ranks * (n + 1) / ((2 * ranks - 1) * n + ranks);
}

const ring_step ring_steps[] = {
    {.name = "gather",
     .idea = "every rank collects all of K and V, then attends",
     .run = gather,
     .owns = neighbours,
     .sent = sent_by_neighbours,
     .held = held_by_gather},
    {.name = "ring",
     .idea = "K and V travel round while every rank attends",
     .run = ring,
     .owns = neighbours,
     .sent = sent_by_neighbours,
     .held = held_by_ring},
    {.name = "zigzag",
     .idea = "the same, each rank with an early and a late chunk",
     .run = zigzag,
     .owns = folded,
     .sent = sent_by_zigzag,
     .held = held_by_zigzag},
    {.name = "ulysses",
     .idea = "all-to-all: all rows of some heads (P divides Hk)",
     .run = ulysses,
     .owns = neighbours,
     .needs_heads = true,
     .sent = sent_by_ulysses,
     .held = held_by_ulysses},
    {.name = "tree",
     .idea = "few queries: keys stay, (m, l, O) are merged",
     .run = tree,
     .owns = neighbours,
     .all_queries = true,
     .sent = sent_by_tree,
     .held = held_by_tree},
    {.name = NULL},
};
