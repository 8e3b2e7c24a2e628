/* Exercise 04: knows full tiles only, so far (ragged_tiles.h). */
#include "ragged_tiles.h"

#include <math.h>

#include "common/exp_minus.h"
#include "common/testing/todo.h"

int ragged_attention(const head *h, memory *mem)
{
    matrix K = on_chip(mem, h->Bc, h->d), V = on_chip(mem, h->Bc, h->dv);
    matrix q = on_chip(mem, 1, h->d), o = on_chip(mem, 1, h->dv);

    if (mem->error)
        return mem->error;

    for (size_t i = 0; i < h->Nq; i++) {
        running_row r = {-INFINITY, 0, o};

        load(mem, q, h->Q, i, 0);
        fill(o, 0);
        TODO("the last tile may have fewer than Bc keys");
        for (size_t j0 = 0; j0 + h->Bc <= h->Nk; j0 += h->Bc) {
            load(mem, K, h->K, j0, 0);
            load(mem, V, h->V, j0, 0);
            attend_tile(&r, h->scale, q, K, V);
        }
        rescale(o.data, inverse(r.l), h->dv);
        store(mem, h->O, i, 0, o);
    }
    return mem->error;
}
