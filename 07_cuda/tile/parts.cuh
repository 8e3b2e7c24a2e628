/*
 * Who has what in rung 12: the rows of a group of heads, and its keys in parts.
 * docs/hopper.md
 */
#pragma once
#include <limits.h>

#include "07_cuda/tile/head.cuh"
#include "07_cuda/tile/warpgroup.cuh"

static const int Br = 64; /* rows of a tile */

/* --- The rows of a group -------------------------------------------------- */

static __device__ __host__ int rows_of_group(const rung_problem &p)
{
    return p.group * p.Nq;
}

/* Row r is query r % Nq of one of the group's heads. */
static __device__ int keys_of_row(const rung_problem &p, int r)
{
    return keys_seen(p, r % p.Nq);
}

/* The most keys that any row of the tile from r0 sees. */
static __device__ int keys_of_tile(const rung_problem &p, int r0)
{
    int last = min(r0 + Br, rows_of_group(p)) - 1;

    return keys_of_row(p, r0 / p.Nq == last / p.Nq ? last : p.Nq - 1);
}

static int tiles_of_rows(const rung_problem *p)
{
    return (rows_of_group(*p) + Br - 1) / Br;
}

/* On the host: the heads of each group as one, with a query after another. */
static int maps_of_groups(const rung_problem *p, int Bc, tensor_maps *maps)
{
    rung_problem q = *p;

    q.heads = p->heads / p->group;
    q.group = 1;
    q.Nq = rows_of_group(*p);
    q.offset = p->Nq + p->offset - q.Nq; /* the last sees as many keys */
    return tensor_maps_of(&q, Br, Bc, maps);
}

/* --- Parts ---------------------------------------------------------------- */

/* The results of the parts, in fp32: O not divided by l, m in units of log 2.
 * Groups x parts x rows. */
struct partial {
    float *O, *m, *l;
    int parts, keys; /* keys of a part: a multiple of Bc */
};

/* So many parts that the last block ends soonest, if every tile takes the same
 * time, and to begin and end a block as long as one; of several such numbers
 * the least. */
static int parts_for(int blocks, int tiles, int at_once)
{
    long long least = LLONG_MAX;
    int best = 1;

    for (int parts = 1; parts <= min(tiles, at_once); parts++) {
        long long turns = ((long long)blocks * parts + at_once - 1) / at_once;
        long long time = turns * ((tiles + parts - 1) / parts + 1);

        if (time < least) {
            least = time;
            best = parts;
        }
    }
    return best;
}
