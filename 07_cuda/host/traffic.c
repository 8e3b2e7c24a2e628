/* The closed forms (traffic.h). */
#include "07_cuda/host/traffic.h"

counts in_three_launches(const head *h, tile_sizes t)
{
    size_t D = h->d, T = t.Bc;
    counts sum = {0};

    for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
        size_t keys = seen(h, i);
        size_t Q = i.n * D * tiles(keys, T), K = keys * D, V = keys * D;
        size_t S = i.n * keys;

        sum.read[ALGORITHM] += Q + K + 2 * S + S * D / T + V;
        sum.written[ALGORITHM] += 2 * S + i.n * (D + 1);
    }
    return sum;
}

counts as_fp8(const head *h, tile_sizes t)
{
    size_t seen_by_any = seen(h, all(h->Nq)), D = h->d, threads = 2 * t.Br;
    counts sum = {0};

    for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
        size_t key_tiles = tiles(seen(h, i), t.Bc), keys = key_tiles * t.Bc;
        size_t scales = threads * (1 + 2 * key_tiles);

        if (keys > 0)
            sum.read[ALGORITHM] +=
                D * (i.n + min_size(keys, seen_by_any) + keys) / 2 + 2 * scales;
        sum.written[ALGORITHM] += i.n * (D + 1);
    }
    return sum;
}

counts in_whole_tiles(const head *h, tile_sizes t)
{
    size_t seen_by_any = seen(h, all(h->Nq)), D = h->d;
    counts sum = {0};

    for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
        size_t keys = tiles(seen(h, i), t.Bc) * t.Bc;

        if (keys > 0)
            sum.read[ALGORITHM] += D * (i.n + 2 * min_size(keys, seen_by_any));
        sum.written[ALGORITHM] += i.n * (D + 1);
    }
    return sum;
}
