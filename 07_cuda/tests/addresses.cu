/*
 * Checks the addresses that the kernels compute for a head with 2^31 or more
 * rows before it. Such arrays do not fit in memory. Also checks what a launch
 * caches on a machine with two devices, which the emulator does not have.
 */
#include <cuda_bf16.h>

static int current_device;
static int get_device(int *device)
{
    *device = current_device;
    return 0;
}
#define cudaGetDevice get_device
#include "07_cuda/backward/rows.cuh"
#include "07_cuda/tile/launch.cuh"

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

/* Returns how often a launch queries the driver on devices 0, 0, 1, 1, 0. */
extern "C" int queries_on_two_devices(void)
{
    static cached<no_data> of_launch;
    const rung_problem p = {};
    const int order[] = {0, 0, 1, 1, 0};
    int n = 0;

    for (int device : order) {
        current_device = device;
        of_launch.get(&p, [&](no_data *) { return n++, 0; });
    }
    return n;
}
