/*
 * Each tile has min(Bc, Nk - j0) rows. Only these rows are loaded and attended.
 * The loop ends when no key is left.
 */
#include "ragged_tiles.h"

#include <math.h>

#include "common/scores.h"

int ragged_attention(const head *h, memory *mem)
{
    size_t Bc = h->tile.Bc;
    matrix K = on_chip(mem, Bc, h->d), V = on_chip(mem, Bc, h->dv);
    matrix q = on_chip(mem, 1, h->d), o = on_chip(mem, 1, h->dv);

    if (mem->error)
        return mem->error;

    for (size_t i = 0; i < h->Nq; i++) {
        running_row r = {-INFINITY, 0, o};

        load(mem, &q, h->Q, one(i));
        fill(o, 0);
        for (size_t j0 = 0; j0 < h->Nk; j0 += Bc) {
            span j = span_of(j0, min_size(Bc, h->Nk - j0));

            load(mem, &K, h->K, j);
            load(mem, &V, h->V, j);
            attend_tile(&r, h->scale, q, K, V);
        }
        scale_row(o.data, inverse(r.l), h->dv);
        store(mem, h->O, one(i), o);
    }
    return mem->error;
}
