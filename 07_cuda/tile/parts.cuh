/*
 * Work distribution of rung 12: the rows of a group of heads, and the parts of
 * its keys. docs/hopper.md
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

/* Returns the keys that row r sees: query r % Nq of a head of the group. */
static __device__ int keys_of_row(const rung_problem &p, int r)
{
    return keys_seen(p, r % p.Nq);
}

/* Returns the largest number of keys that a row of the tile from r0 on sees. */
static __device__ int keys_of_tile(const rung_problem &p, int r0)
{
    int last = min(r0 + Br, rows_of_group(p)) - 1;

    return keys_of_row(p, r0 / p.Nq == last / p.Nq ? last : p.Nq - 1);
}

static int tiles_of_rows(const rung_problem *p)
{
    return (rows_of_group(*p) + Br - 1) / Br;
}

/* On the host: makes tensor maps with the heads of a group as one head. */
static int maps_of_groups(const rung_problem *p, int Bc, tensor_maps *maps)
{
    rung_problem q = *p;

    q.heads = p->heads / p->group;
    q.group = 1;
    q.Nq = rows_of_group(*p);
    q.offset = p->Nq + p->offset - q.Nq; /* the last sees as many as before */
    return tensor_maps_of(&q, Br, Bc, maps);
}

/* --- Parts ---------------------------------------------------------------- */

/* The results of the parts, in fp32: groups x parts x rows. O is not divided by
 * l; m is in units of log 2. */
struct partial {
    float *O, *m, *l;
    int parts, keys; /* keys of a part: a multiple of Bc */
};

/* Returns the number of parts with which the last block ends soonest; the
 * lowest if several are equal. Every tile is assumed to take the same time, and
 * the start and end of a block the time of one tile. */
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
