/*
 * Checks the addresses that the kernels compute for a head with 2^31 or more
 * rows before it. Such arrays do not fit in memory.
 */
#include "07_cuda/backward/rows.cuh"

/* True if p is the address of this element in an array at address 0. */
static bool is_at(const void *p, size_t elements, size_t size)
{
    return (size_t)p == elements * size;
}

extern "C" bool far_heads_are_found(void)
{
    const size_t head = 60000, Nq = 60000, Nk = 90000, D = 128;
    gradient_problem g = {};
    rung_problem &p = g.forward;

    p.heads = 65535;
    p.group = 2;
    p.Nq = (int)Nq;
    p.Nk = (int)Nk;
    p.D = (int)D;

    one_head<float> h = head_of<float>(p, head);
    query_head<float> q = queries_of<float>(g, head);
    key_head<float> k = keys_of<float>(g, head / 2);

    return is_at(h.Q, head * Nq * D, 4) && is_at(h.O, head * Nq * D, 4) &&
           is_at(h.K, head / 2 * Nk * D, 4) &&
           is_at(h.V, head / 2 * Nk * D, 4) && is_at(h.L, head * Nq, 4) &&
           is_at(q.Q, head * Nq * D, 4) && is_at(q.dQ, head * Nq * D, 4) &&
           is_at(q.dO, head * Nq * D, 4) && is_at(q.D, head * Nq, 4) &&
           is_at(q.dQ_sum, head * Nq * D, 4) &&
           is_at(k.K, head / 2 * Nk * D, 4) &&
           is_at(k.dV, head / 2 * Nk * D, 4);
}
