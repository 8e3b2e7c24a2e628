/* Divides the rows and keys of a group of heads among rung 12's blocks. */
#pragma once
#include <limits.h>

#include "07_cuda/tile/head.cuh"
#include "07_cuda/tile/warpgroup.cuh"

static const int Br = 64; /* rows of a tile */

static __device__ __host__ int rows_of_group(const rung_problem &p)
{
    return p.group * p.Nq;
}

/* Row r is query r % Nq of a head of the group. */
static __device__ int keys_of_row(const rung_problem &p, int r)
{
    return keys_seen(p, r % p.Nq);
}

/* Returns the most keys that a row of the tile from row r0 on sees. */
static __device__ int keys_of_tile(const rung_problem &p, int r0)
{
    int last = min(r0 + Br, rows_of_group(p)) - 1;

    return keys_of_row(p, r0 / p.Nq == last / p.Nq ? last : p.Nq - 1);
}

static int tiles_of_rows(const rung_problem *p)
{
    return (rows_of_group(*p) + Br - 1) / Br;
}

/* Makes tensor maps in which the heads of a group are one head of group x Nq
 * queries. Returns 0 or a cudaError_t. */
static int maps_of_groups(const rung_problem *p, int Bc, tensor_maps *maps)
{
    rung_problem q = *p;

    q.heads = p->heads / p->group;
    q.group = 1;
    q.Nq = rows_of_group(*p);
    q.offset = p->Nq + p->offset - q.Nq; /* the last query has the same limit */
    return tensor_maps_of(&q, Br, Bc, maps);
}

/* The results of the parts, arrays of groups x parts x rows (O: x D). O is not
 * divided by l. m is a logarithm to base 2. */
struct partial {
    float *O, *m, *l;
    int parts, keys; /* keys of a part: a multiple of Bc */
};

/* Returns the number of parts for which the last block ends earliest. There are
 * `blocks` blocks for each part, and at_once run at a time. The model: each of
 * the `tiles` tiles of keys takes the same time, and so do the start and end of
 * a block together. */
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
