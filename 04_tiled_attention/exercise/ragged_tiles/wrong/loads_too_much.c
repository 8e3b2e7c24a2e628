/* wrong: right, but for rows loaded only to be dropped */
/* message: more rows are loaded than there are keys */
#include "ragged_tiles.h"

#include <math.h>

#include "common/exp_minus.h"

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
        for (size_t j0 = 0; j0 < h->Nk; j0 += h->Bc) {
            size_t bc = min_size(h->Bc, h->Nk - j0);

            load(mem, K, h->K, j0, 0);
            load(mem, V, h->V, j0, 0);
            attend_tile(&r, h->scale, q, top(K, bc), top(V, bc));
        }
        rescale(o.data, inverse(r.l), h->dv);
        store(mem, h->O, i, 0, o);
    }
    return mem->error;
}
