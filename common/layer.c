/*
 * Cutting a layer into heads (layer.h), and a head into blocks of queries,
 * which are independent (head.h).
 */
#include "common/layer.h"

#include <limits.h>
#include <math.h>

void layer_give(layer *l, float *Q, float *K, float *V, float *O, float *L)
{
    head *h = &l->each;

    h->Q = hbm_of(Q, h->Nq, h->d);
    h->K = hbm_of(K, h->Nk, h->d);
    h->V = hbm_of(V, h->Nk, h->dv);
    h->O = hbm_of(O, h->Nq, h->dv);
    h->L = hbm_of(L, h->Nq, 1);
}

layer layer_of(const head *h)
{
    return (layer){1, 1, 1, 1, 1, false, *h};
}

size_t heads_of(const layer *l)
{
    return l->each.Nq ? l->B * l->Hq : 0;
}

/* The nth array of those that lie one behind the other; none stays none. */
static void move_to(array *a, size_t nth)
{
    if (a->hbm.data)
        a->hbm.data += nth * a->hbm.rows * a->hbm.cols;
}

/*
 * A query whose place, i + offset, lies beyond all keys may as well stand at
 * their end, if its window is shorter by as much: it sees the same keys, and no
 * sum of the three can wrap. ALiBi measures from that place: there it stays, as
 * far as such sums allow. A window that reaches from end to end leaves out none.
 */
static void clamp_limits(head *h)
{
    const long far = LONG_MAX / 4;
    bool measured = h->slope > 0;
    long least = measured ? -far : -(long)h->Nq,
         most = measured ? far : (long)h->Nk;
    long place = clamped(h->offset, least, most);
    size_t moved = place > h->offset ? (size_t)place - (size_t)h->offset
                                     : (size_t)h->offset - (size_t)place;

    h->offset = place;
    if (h->window)
        h->window = min_size(h->window > moved ? h->window - moved : 1,
                             (size_t)most - (size_t)least);
}

head head_at(const layer *l, size_t nth)
{
    size_t b = nth / l->Hq, h = nth % l->Hq;
    size_t kv = b * l->Hk + h / (l->Hq / l->Hk);
    size_t mask =
        (l->mask_B == 1 ? 0 : b) * l->mask_H + (l->mask_H == 1 ? 0 : h);
    head one = l->each;

    move_to(&one.Q, nth);
    move_to(&one.K, kv);
    move_to(&one.V, kv);
    move_to(&one.mask, mask);
    move_to(&one.O, nth);
    move_to(&one.L, nth);
    if (l->alibi)
        one.slope = exp2f(-8 * (float)(h + 1) / (float)l->Hq);
    if (one.sink)
        one.sink += h;
    clamp_limits(&one);
    return one;
}

int step_run(const attention_step *step, const head *h, memory *mem)
{
    layer one = layer_of(h);

    return step->run ? step->run(h, mem) : step->run_layer(step, &one, mem);
}

tile_sizes step_tiles(const attention_step *step, const head *h, size_t M)
{
    return step->tiles ? step->tiles(h, M) : (tile_sizes){0, 0};
}

bool blocks_are_empty(const head *h, size_t i0, size_t n, size_t j0, size_t m)
{
    size_t size = h->blocks.size;

    i0 += h->blocks.i0;
    j0 += h->blocks.j0;
    for (size_t i = i0 / size; i < tiles(i0 + n, size); i++)
        for (size_t j = j0 / size; j < tiles(j0 + m, size); j++)
            if (row(h->blocks.of, i)[j] != 0)
                return false;
    return true;
}

tile_sums tiles_visited(const head *h, tile_sizes t, loop_order order)
{
    size_t seen = keys_seen_by(h, 0, h->Nq);
    tile_sums sum = {0, 0, 0};

    for (size_t i0 = 0; i0 < h->Nq; i0 += t.Br) {
        size_t br = min_size(t.Br, h->Nq - i0);
        size_t end = order == KEYS_OUTSIDE ? seen : keys_seen_by(h, i0, br);

        for (size_t j0 = 0; j0 < end; j0 += t.Bc) {
            size_t bc = min_size(t.Bc, end - j0);

            if (is_unseen(h, i0, br, j0, bc))
                continue;
            sum.queries += br;
            sum.keys += bc;
            sum.masked += h->mask.hbm.data ? br * bc : 0;
        }
    }
    return sum;
}

head head_of_queries(const head *h, size_t i0, size_t n)
{
    head part = *h;

    part.Nq = n;
    part.Q = rows_of(h->Q, i0, n);
    part.mask = rows_of(h->mask, i0, n);
    part.O = rows_of(h->O, i0, n);
    part.L = rows_of(h->L, i0, n);
    part.kept.P = rows_of(h->kept.P, i0, n);
    part.kept.m = rows_of(h->kept.m, i0, n);
    part.kept.l = rows_of(h->kept.l, i0, n);
    part.offset += (long)i0;
    part.blocks.i0 += i0;
    return part;
}
