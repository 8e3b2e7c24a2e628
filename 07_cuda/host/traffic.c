/*
 * The closed forms (traffic.h).
 */
#include "07_cuda/host/traffic.h"

counts as_fp8(const head *h, tile_sizes t)
{
    size_t seen = keys_seen_by(h, 0, h->Nq), D = h->d, threads = 2 * t.Br;
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

counts in_whole_tiles(const head *h, tile_sizes t)
{
    size_t seen = keys_seen_by(h, 0, h->Nq), D = h->d;
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
