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

/* To each of the others the rows of its heads, and back the rows of O and L
 * [((2 Hq + 2 Hk) d + Hq) (N / P) (P - 1) / P]. */
static size_t sent_by_ulysses(const ring_problem *p, owner_rule *owns, size_t P,
                              size_t r)
{
    size_t q = share_of(owns, p->Nq, P, r).n;
    size_t k = share_of(owns, p->Nk, P, r).n;
    size_t Hq = heads_at(p, p->Hq, P, r).n, Hk = heads_at(p, p->Hk, P, r).n;

    return (p->Hq - Hq) * q * p->d + (p->Hk - Hk) * k * (p->d + p->dv) +
           Hq * (p->Nq - q) * (p->dv + 1);
}

/* All rows but those that it merges itself; then all merged rows but those of
 * the next rank [2 (P - 1) / P Hq (dv + 2) for a query a head]. */
static size_t sent_by_tree(const ring_problem *p, owner_rule *owns, size_t P,
                           size_t r)
{
    size_t rows = p->Hq * p->Nq, mine = cut(rows, P, r).n;
    size_t next = cut(rows, P, (r + 1) % P).n;

    (void)owns;
    return (rows - mine + rows - next) * (p->dv + 2);
}

/* Keys and values, of the largest share. */
static size_t keys_held(const ring_problem *p, owner_rule *owns, size_t P)
{
    return p->Hk * largest_share(owns, p->Nk, P) * (p->d + p->dv);
}

/* Q and the result, of q queries of H heads. */
static size_t queries_held(const ring_problem *p, size_t H, size_t q)
{
    return H * q * (p->d + p->dv + 2);
}

/* Its own arrays. */
static size_t own_held(const ring_problem *p, owner_rule *owns, size_t P,
                       size_t r)
{
    return queries_held(p, p->Hq, share_of(owns, p->Nq, P, r).n) +
           keys_held(p, owns, P);
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

static size_t held_by_ulysses(const ring_problem *p, owner_rule *owns, size_t P,
                              size_t r)
{
    return own_held(p, owns, P, r) +
           queries_held(p, heads_at(p, p->Hq, P, r).n, p->Nq) +
           heads_at(p, p->Hk, P, r).n * p->Nk * (p->d + p->dv);
}

static size_t held_by_tree(const ring_problem *p, owner_rule *owns, size_t P,
                           size_t r)
{
    return queries_held(p, p->Hq, p->Nq) + keys_held(p, owns, P) +
           cut(p->Hq * p->Nq, P, r).n * (p->dv + 2);
}

/* K and V as ring sends them; dK and dV of every share once, because each
 * returns to its owner, unless there is one rank
 * [2 (P - 1) (N / P) Hk d + 2 N Hk d]. */
static size_t sent_backward(const ring_problem *p, owner_rule *owns, size_t P,
                            size_t r)
{
    size_t home = P > 1 ? p->Hk * (p->d + p->dv) * p->Nk : 0;

    return round_the_ring(p, owns, P, r) + home;
}

/* dO and dQ; dK and dV; all four of a share that comes in; a part of dQ. */
static size_t held_backward(const ring_problem *p, owner_rule *owns, size_t P,
                            size_t r)
{
    size_t q = share_of(owns, p->Nq, P, r).n;

    return own_held(p, owns, P, r) + p->Hq * q * (p->d + p->dv) +
           3 * keys_held(p, owns, P) + q * p->d;
}

const ring_step ring_steps[] = {
    {"gather", "every rank collects all of K and V, then attends", gather,
     neighbours, false, FP32, round_the_ring, held_by_gather},
    {"ring", "K and V travel round while every rank attends", ring, neighbours,
     false, FP32, round_the_ring, held_by_ring},
    {"zigzag", "the same, each rank with an early and a late chunk", zigzag,
     folded, false, FP32, round_the_ring, held_by_ring},
    {"ulysses", "all-to-all: all rows of some heads", ulysses, neighbours,
     false, FP32, sent_by_ulysses, held_by_ulysses},
    {"tree", "few queries: keys stay, (m, l, O) are merged", tree, neighbours,
     true, FP32, sent_by_tree, held_by_tree},
    {"ring_bf16", "ring; an O not yet whole is kept in bf16", ring, neighbours,
     false, BF16, round_the_ring, held_by_ring},
    {"ring_fp16", "ring; an O not yet whole is kept in fp16", ring, neighbours,
     false, FP16, round_the_ring, held_by_ring},
    {"ring_backward", "dK and dV travel with K and V, and go home",
     ring_backward, neighbours, false, FP32, sent_backward, held_backward},
    {"zigzag_backward", "the same, each rank with an early and a late chunk",
     ring_backward, folded, false, FP32, sent_backward, held_backward},
    {.name = NULL},
};
