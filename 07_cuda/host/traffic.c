/*
 * The closed forms (traffic.h).
 */
#include "07_cuda/host/traffic.h"

counts as_fp8(const head *h, tile_sizes t)
{
    size_t most = seen(h, all(h->Nq)), D = h->d, threads = 2 * t.Br;
    counts sum = {0};

    for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
        size_t of_keys = tiles(seen(h, i), t.Bc), keys = of_keys * t.Bc;
        size_t scales = threads * (1 + 2 * of_keys);

        if (keys > 0)
            sum.read[ALGORITHM] +=
                D * (i.n + min_size(keys, most) + keys) / 2 + 2 * scales;
        sum.written[ALGORITHM] += i.n * (D + 1);
    }
    return sum;
}

counts in_whole_tiles(const head *h, tile_sizes t)
{
    size_t most = seen(h, all(h->Nq)), D = h->d;
    counts sum = {0};

    for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
        size_t keys = tiles(seen(h, i), t.Bc) * t.Bc;

        if (keys > 0)
            sum.read[ALGORITHM] += D * (i.n + 2 * min_size(keys, most));
        sum.written[ALGORITHM] += i.n * (D + 1);
    }
    return sum;
}
