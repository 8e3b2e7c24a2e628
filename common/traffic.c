#include "common/traffic.h"

bool next_pair(const head *h, tile_sizes t, loop_order order, tile_pair *p)
{
    do {
        p->j = next(p->j);
        while (p->j.n == 0) {
            p->i = p->i.n ? next(p->i) : first(h->Nq, t.Br);
            if (p->i.n == 0)
                return false;
            p->j =
                first(seen(h, order == KEYS_OUTSIDE ? all(h->Nq) : p->i), t.Bc);
        }
    } while (!visible(h, p->i, p->j));
    return true;
}

tile_sums tiles_visited(const head *h, tile_sizes t, loop_order order)
{
    tile_sums sum = {0, 0, 0};

    for (tile_pair p = {0}; next_pair(h, t, order, &p);) {
        sum.queries += p.i.n;
        sum.keys += p.j.n;
        sum.masked += h->rule.mask.hbm.data ? p.i.n * p.j.n : 0;
    }
    return sum;
}

size_t pairs_seen(const head *h)
{
    size_t pairs = 0;

    for (size_t i = 0; i < h->Nq; i++)
        pairs += seen(h, one(i));
    return pairs;
}
