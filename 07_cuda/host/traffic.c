/*
 * The closed forms (traffic.h).
 */
#include "07_cuda/host/traffic.h"

#include "05_flash1/steps.h"
#include "06_flash2/steps.h"

static counts in_one_book(const counts *c)
{
    counts sum = {0};

    for (int b = 0; b < BOOKS; b++) {
        sum.read[ALGORITHM] += c->read[b];
        sum.written[ALGORITHM] += c->written[b];
    }
    return sum;
}

/* The head as it is padded, and the tiles that the rung then has. */
static head padded(const head *h, size_t D)
{
    head wide = *h;

    wide.d = wide.dv = D;
    return wide;
}

static tile_sizes tiles_of(const rung *r, size_t D)
{
    return (tile_sizes){(size_t)rung_Br(r, (int)D), (size_t)rung_Bc(r, (int)D)};
}

counts as_flash1(const rung *r, const head *h, size_t D)
{
    head wide = padded(h, D);
    counts c = flash1_traffic(&wide, tiles_of(r, D));

    return in_one_book(&c);
}

counts as_flash2(const rung *r, const head *h, size_t D)
{
    head wide = padded(h, D);
    counts c = flash2_traffic(&wide, tiles_of(r, D));

    return in_one_book(&c);
}

counts as_fp8(const rung *r, const head *h, size_t D)
{
    tile_sizes t = tiles_of(r, D);
    size_t seen = keys_seen_by(h, 0, h->Nq), threads = 2 * t.Br;
    counts sum = {0};

    for (size_t i0 = 0; i0 < h->Nq; i0 += t.Br) {
        size_t br = min_size(t.Br, h->Nq - i0);
        size_t tiles = (keys_seen_by(h, i0, br) + t.Bc - 1) / t.Bc;
        size_t keys = tiles * t.Bc, scales = threads * (1 + 2 * tiles);

        if (tiles > 0)
            sum.read[ALGORITHM] +=
                D * (br + min_size(keys, seen) + keys) / 2 + 2 * scales;
        sum.written[ALGORITHM] += br * (D + 1);
    }
    return sum;
}

counts in_whole_tiles(const rung *r, const head *h, size_t D)
{
    tile_sizes t = tiles_of(r, D);
    size_t seen = keys_seen_by(h, 0, h->Nq);
    counts sum = {0};

    for (size_t i0 = 0; i0 < h->Nq; i0 += t.Br) {
        size_t br = min_size(t.Br, h->Nq - i0);
        size_t keys = (keys_seen_by(h, i0, br) + t.Bc - 1) / t.Bc * t.Bc;

        if (keys > 0)
            sum.read[ALGORITHM] += D * (br + 2 * min_size(keys, seen));
        sum.written[ALGORITHM] += br * (D + 1);
    }
    return sum;
}
